// charts/fit.js - predicted against true distances, as a density, and the error along the true distance.
import * as Plot from '@observablehq/plot';
import { densityColour } from '../colours.js';
import { h, numbers } from '../dom.js';
import { count, counted, number, percent } from '../format.js';
import { ACCENT, CHART, MUTED, WARM, axisMargin, figure, keyEntry } from './figure.js';

/** The bins that are not empty. */
export function cells(fit) {
    const width = (axis) => (axis.to - axis.from) / axis.n;
    const [dx, dy] = [width(fit.observed), width(fit.predicted)];
    const found = [];
    for (let o = 0; o < fit.observed.n; o++) {
        for (let p = 0; p < fit.predicted.n; p++) {
            const n = fit.counts[o * fit.predicted.n + p];
            if (n === 0) continue;
            const [x1, y1] = [fit.observed.from + o * dx, fit.predicted.from + p * dy];
            found.push({ x1, x2: x1 + dx, y1, y2: y1 + dy, n });
        }
    }
    return found;
}

/** @param {import('../store.js').Store} store */
export function densityFigure(fit, store) {
    const shown = cells(fit);
    const most = shown.reduce((largest, cell) => Math.max(largest, cell.n), 1);
    let low = Math.min(fit.observed.from, fit.predicted.from);
    let high = Math.max(fit.observed.to, fit.predicted.to);
    if (!(high > low)) [low, high] = [low - 0.5, low + 0.5];
    const fill = (n) => densityColour(most > 1 ? Math.log(n) / Math.log(most) : 1, store.now.theme);
    const draw = (width) => {
        const side = Math.min(width, 460);
        return Plot.plot({
            ...CHART,
            width: side,
            height: side,
            marginLeft: axisMargin(high),
            marginBottom: 42,
            marginTop: 10,
            x: {
                label: 'true distance',
                domain: [low, high],
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: Math.max(2, Math.floor(side / 80)),
            },
            y: {
                label: 'predicted distance',
                domain: [low, high],
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: 6,
            },
            marks: [
                Plot.rect(shown, {
                    x1: 'x1',
                    x2: 'x2',
                    y1: 'y1',
                    y2: 'y2',
                    fill: (cell) => fill(cell.n),
                    inset: -0.25,
                    title: (cell) => counted(cell.n, 'pair'),
                }),
                Plot.line([[low, low], [high, high]], { stroke: 'currentColor', strokeDasharray: '4 4', strokeWidth: 1.2 }), // prettier-ignore
            ],
        });
    };
    return figure({
        title: 'Predicted against true distance',
        note: h(
            'span',
            null,
            `${counted(fit.n_pairs, 'pair')}; on the dashed line a prediction is exact. `,
            densityKey(store, most),
        ),
        label: 'Density of pairs by their true and their predicted distance',
        draw,
        rows: () => [
            ['true_from', 'true_to', 'predicted_from', 'predicted_to', 'pairs'],
            ...shown.map((cell) => [cell.x1, cell.x2, cell.y1, cell.y2, cell.n]),
        ],
        keys: () => [{ text: `1 to ${counted(most, 'pair')} a cell`, colours: densityColours(store) }],
        table: numbers(['true distance', 'pairs', 'middle half of the predictions'], quartileRows(fit), 'The numbers'),
    });
}

const densityColours = (store) => Array.from({ length: 9 }, (_, k) => densityColour(k / 8, store.now.theme));

/** From one pair to the most in a cell, on a logarithmic scale. */
function densityKey(store, most) {
    const bar = h('span', { class: 'key-bar', 'aria-hidden': 'true' });
    const paint = () => {
        bar.style.setProperty('background', `linear-gradient(to right, ${densityColours(store).join(', ')})`);
    };
    store.watch((_, changed) => changed('theme') && paint());
    paint();
    return h('span', { class: 'key' }, '1 pair ', bar, ` ${counted(most, 'pair')} a cell`);
}

/** The table's rows: ten bins of the true distance with the middle half of their predictions. */
function quartileRows(fit) {
    const { observed, predicted, counts } = fit;
    const group = Math.max(1, Math.round(observed.n / 10));
    const at = (axis, place) => axis.from + (place * (axis.to - axis.from)) / axis.n;
    const rows = [];
    for (let start = 0; start < observed.n; start += group) {
        const end = Math.min(start + group, observed.n);
        const sums = new Array(predicted.n).fill(0);
        for (let o = start; o < end; o++) for (let p = 0; p < predicted.n; p++) sums[p] += counts[o * predicted.n + p];
        const total = sums.reduce((sum, n) => sum + n, 0);
        if (total === 0) continue;
        const quantile = (share) => {
            let seen = 0;
            const place = sums.findIndex((n) => (seen += n) >= share * total);
            return number(at(predicted, place + 0.5));
        };
        const range = `${number(at(observed, start))} to ${number(at(observed, end))}`;
        rows.push([range, count(total), `${quantile(0.25)} to ${quantile(0.75)}`]);
    }
    return rows;
}

export function errorFigure(bins) {
    const middle = (bin) => (bin.from + bin.to) / 2;
    const largest = Math.max(...bins.map((bin) => Math.max(Math.abs(bin.rmse), Math.abs(bin.bias))), 0);
    const kinds = { rmse: ['typical error (RMSE)', ACCENT], bias: ['mean of predicted \u2212 true', WARM] };
    const draw = (width) =>
        Plot.plot({
            ...CHART,
            width,
            height: Math.min(Math.max(width * 0.62, 240), 400),
            marginLeft: axisMargin(largest) + 6,
            marginBottom: 42,
            marginTop: 16,
            x: {
                label: 'true distance',
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: Math.max(3, Math.floor(width / 90)),
            },
            y: { label: 'error', grid: true, nice: true, labelAnchor: 'center', labelArrow: 'none', ticks: 6 },
            marks: [
                Plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.6 }),
                ...Object.entries(kinds).flatMap(([name, [, stroke]]) => [
                    Plot.link(bins, {
                        x1: 'from',
                        x2: 'to',
                        y1: name,
                        y2: name,
                        stroke,
                        strokeWidth: 1.5,
                        strokeOpacity: 0.55,
                    }),
                    Plot.line(bins, { x: middle, y: name, stroke, strokeWidth: 2 }),
                    Plot.dot(bins, {
                        x: middle,
                        y: name,
                        fill: stroke,
                        r: 3,
                        symbol: name === 'bias' ? 'square' : 'circle',
                        title: (bin) => `${number(bin[name])}`,
                    }),
                ]),
            ],
        });
    const key = Object.values(kinds).map(([text, colour]) => keyEntry(text, colour));
    return figure({
        title: 'Error by distance',
        note: h('span', null, 'Each mark stands for equally many pairs. ', ...key),
        label: 'Typical error and bias along the true distance',
        draw,
        rows: () => [
            ['true_from', 'true_to', 'pairs', 'rmse', 'bias'],
            ...bins.map((bin) => [bin.from, bin.to, bin.n, bin.rmse, bin.bias]),
        ],
        keys: () => Object.values(kinds).map(([text, colour]) => ({ text, colour })),
        table: numbers(
            ['true distance', 'pairs', 'RMSE', 'bias'],
            bins.map((bin) => [
                `${number(bin.from)} to ${number(bin.to)}`,
                count(bin.n),
                number(bin.rmse),
                number(bin.bias),
            ]),
        ),
    });
}

/** One sentence on what the bins show. */
export function errorSentence(bins) {
    if (!bins || bins.length < 2) return null;
    const [first, last] = [bins[0], bins[bins.length - 1]];
    const lean = (bin) => bin.bias / Math.max((bin.from + bin.to) / 2, 1e-30);
    const tell = (bin, where) =>
        Math.abs(bin.bias) < 0.25 * bin.rmse
            ? null
            : `${where} pairs are predicted too ${bin.bias > 0 ? 'far' : 'near'} on average (by ${number(Math.abs(bin.bias))}${Math.abs(lean(bin)) < 2 ? `, ${percent(Math.abs(lean(bin)))} of their distance` : ''})`;
    const parts = [tell(first, 'the nearest'), tell(last, 'the farthest')].filter(Boolean);
    if (parts.length === 0)
        return 'Neither near nor far pairs are predicted too near or too far to a degree that matters.';
    const text = parts.join(', and ');
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
