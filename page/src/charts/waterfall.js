// charts/waterfall.js - the account of one predicted distance: from the mean distance, by each feature's contribution, to the prediction.
import * as Plot from '@observablehq/plot';
import { change, number } from '../format.js';
import { ACCENT, CHART, MUTED, WARM, sideNames } from './figure.js';

/**
 * The steps in order: where each begins and ends.
 * @param {import('../data.js').Explanation} told
 */
export function steps(told) {
    const rows = [{ name: 'mean distance', kind: 'total', from: 0, to: told.baseline }];
    let at = told.baseline;
    const add = (name, share) => {
        rows.push({ name, kind: share < 0 ? 'nearer' : 'farther', from: at, to: at + share });
        at += share;
    };
    for (const { feature, share } of told.shares) add(feature, share);
    if (told.nOthers > 0) add(told.nOthers === 1 ? 'the other feature' : `${told.nOthers} other features`, told.rest);
    rows.push({ name: 'predicted distance', kind: 'total', from: 0, to: told.distance });
    return rows;
}

const FILLS = { total: MUTED, nearer: ACCENT, farther: WARM };

export function waterfall(told, width) {
    const rows = steps(told).map((row, place) => ({ ...row, place: String(place) }));
    const { labels, margin } = sideNames(
        rows.map((row) => row.name),
        width,
    );
    const telling = (row) => (row.kind === 'total' ? number(row.to) : change(row.to - row.from));
    const values = rows.flatMap((row) => [row.from, row.to]);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const room = ((high - low || 1) * 56) / Math.max(width - margin - 64, 60); // for the number after the longest bar
    return Plot.plot({
        ...CHART,
        width,
        height: rows.length * 25 + 44,
        marginLeft: margin,
        marginRight: 8,
        marginTop: 6,
        marginBottom: 34,
        x: {
            label: 'distance',
            domain: [low, high + room],
            ticks: Math.max(2, Math.floor(width / 110)),
            labelAnchor: 'center',
            labelArrow: 'none',
        },
        y: {
            label: null,
            domain: rows.map((row) => row.place),
            tickFormat: (place) => labels[Number(place)],
            tickSize: 0,
            padding: 0.3,
        },
        marks: [
            Plot.ruleX([0], { stroke: MUTED, strokeOpacity: 0.5 }),
            Plot.link(rows.slice(0, -1), {
                x1: 'to',
                x2: 'to',
                y1: 'place',
                y2: (row) => String(Number(row.place) + 1),
                stroke: MUTED,
                strokeDasharray: '2 3',
            }),
            Plot.barX(rows, { x1: 'from', x2: 'to', y: 'place', fill: (row) => FILLS[row.kind], insetTop: 1 }),
            Plot.text(rows, {
                x: (row) => Math.max(row.from, row.to),
                y: 'place',
                text: telling,
                textAnchor: 'start',
                dx: 5,
                fill: 'currentColor',
                fontVariant: 'tabular-nums',
            }),
        ],
    });
}
