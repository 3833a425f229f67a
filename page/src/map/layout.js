// map/layout.js - where items are drawn. Mostly where the map says; a map whose second direction has next to no spread would be
// squeezed to a line, so that direction is stretched, or left out in favour of how many items there are along the first.

const FLAT = 0.25; // spread of the second direction over that of the first, below which it is stretched
const LINE = 0.03; // and below which it says nothing
const SHAPE = 2; // width over height of what is drawn then
const FILLED = 0.8; // of the height, by all but the outermost items
const N_BINS = 120;

/**
 * @typedef {object} Layout
 * @property {'plane' | 'stretched' | 'line'} kind
 * @property {ArrayLike<number>} x
 * @property {ArrayLike<number>} y upwards
 * @property {number} factor how much larger up and down is drawn than left and right
 * @property {number} nBeyond items that are drawn on the edge, since they lie beyond it
 * @property {[number, number][]} outline of the density along a line: x, and its height to each side
 */

/** Between the 1st and the 99th of a hundred: one item far out does not make a direction wide. */
function inner(values) {
    const known = Float64Array.from(values)
        .filter((value) => Number.isFinite(value))
        .sort();
    const at = (fraction) => known[Math.round(fraction * (known.length - 1))] ?? 0;
    return { low: at(0.01), high: at(0.99), least: at(0), most: at(1), n: known.length };
}

/**
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} map
 * @returns {Layout}
 */
export function layoutOf(map) {
    const isPlaced = (_, item) => Number.isFinite(map.x[item]) && Number.isFinite(map.y[item]);
    const [across, up] = [inner(Array.from(map.x).filter(isPlaced)), inner(Array.from(map.y).filter(isPlaced))];
    const [wide, high] = [across.high - across.low, up.high - up.low];
    /** @type {Layout} */
    const plane = { kind: 'plane', x: map.x, y: map.y, factor: 1, nBeyond: 0, outline: [] };
    if (across.n < 3 || !(wide > 0) || high >= FLAT * wide) return plane;
    const height = (across.most - across.least) / SHAPE;
    if (high < LINE * wide) return lineLayout(map, plane, across, height);
    const factor = (FILLED * height) / high;
    const middle = (up.low + up.high) / 2;
    let nBeyond = 0;
    const y = Float64Array.from(map.y, (value) => {
        const drawn = (value - middle) * factor;
        if (Math.abs(drawn) > height / 2) nBeyond++;
        return Math.min(Math.max(drawn, -height / 2), height / 2);
    });
    return { ...plane, kind: 'stretched', y, factor, nBeyond };
}

/** Items beside each other where there are many of them: up and down means nothing but how many. */
function lineLayout(map, plane, { least, most }, height) {
    const density = densityAlong(map.x, least, most);
    const at = (x) => {
        const bin = ((x - least) / (most - least)) * (N_BINS - 1);
        const [left, rest] = [Math.floor(bin), bin - Math.floor(bin)];
        return density[left] * (1 - rest) + (density[left + 1] ?? 0) * rest;
    };
    const order = Array.from({ length: map.x.length }, (_, item) => item)
        .filter((item) => Number.isFinite(map.x[item]))
        .sort((a, b) => map.x[a] - map.x[b] || a - b);
    const y = new Float64Array(map.x.length).fill(NaN);
    order.forEach((item, rank) => (y[item] = 0.85 * (halving(rank + 1) - 0.5) * height * at(map.x[item])));
    /** @type {[number, number][]} */
    const outline = Array.from(density, (value, bin) => [
        least + (bin * (most - least)) / (N_BINS - 1),
        (value * height) / 2,
    ]);
    return { ...plane, kind: 'line', y, outline };
}

/** How many items there are along the line, smoothed, as a fraction of the most. */
function densityAlong(values, least, most) {
    const counts = new Float64Array(N_BINS);
    for (const value of values) {
        if (Number.isFinite(value)) counts[Math.round(((value - least) / (most - least)) * (N_BINS - 1))]++;
    }
    const width = 3;
    const smooth = counts.map((_, bin) => {
        let sum = 0;
        for (let other = Math.max(0, bin - 4 * width); other < Math.min(N_BINS, bin + 4 * width + 1); other++)
            sum += counts[other] * Math.exp(-(((other - bin) / width) ** 2) / 2);
        return sum;
    });
    const top = Math.max(...smooth);
    return smooth.map((value) => value / top);
}

/** Numbers in 0 ... 1 of which neighbours in order lie far apart (van der Corput's sequence). */
function halving(index) {
    let [value, part] = [0, 0.5];
    for (let rest = index; rest > 0; rest >>= 1, part /= 2) if (rest & 1) value += part;
    return value;
}
