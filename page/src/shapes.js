// shapes.js - the outlines of items on the map. With a colour each they tell many classes apart, on canvas and in SVG alike.

/** In the order of use: the first eight classes are discs, the next eight squares, and so on. */
export const SHAPES = ['disc', 'square', 'triangle', 'diamond', 'plus', 'wedge'];

const TAU = 2 * Math.PI;

/** Corners of a unit shape, y downwards; a disc has none. Sizes are such that all shapes look equally large. */
const CORNERS = {
    disc: null,
    square: turned(4, TAU / 8, 1.22),
    triangle: turned(3, -TAU / 4, 1.34),
    diamond: turned(4, 0, 1.34),
    plus: plus(1.2, 0.42),
    wedge: turned(3, TAU / 4, 1.34),
};

function turned(n, angle, size) {
    return Array.from({ length: n }, (_, k) => [
        size * Math.cos(angle + (k * TAU) / n),
        size * Math.sin(angle + (k * TAU) / n),
    ]);
}

/** A cross with thick arms. */
function plus(size, arm) {
    const quarter = [[arm, -arm], [arm, -size], [-arm, -size]]; // prettier-ignore
    return [0, 1, 2, 3].flatMap((turn) => {
        const [cos, sin] = [[1, 0], [0, -1], [-1, 0], [0, 1]][turn]; // prettier-ignore
        return quarter.map(([x, y]) => [x * cos - y * sin, x * sin + y * cos]);
    });
}

/** Adds a shape to a context's path. */
export function trace(context, shape, left, top, radius) {
    const corners = CORNERS[shape];
    context.beginPath();
    if (!corners) {
        context.arc(left, top, radius, 0, TAU);
        return;
    }
    corners.forEach(([x, y], k) => {
        if (k === 0) context.moveTo(left + radius * x, top + radius * y);
        else context.lineTo(left + radius * x, top + radius * y);
    });
    context.closePath();
}
