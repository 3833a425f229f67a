// charts/two-groups.js - predicted distances where the true ones are only near or far: how the two kinds of pairs spread.
import * as Plot from '@observablehq/plot';
import { h, numbers } from '../dom.js';
import { counted, number, percent } from '../format.js';
import { ACCENT, CHART, WARM, figure, keyEntry } from './figure.js';

/**
 * The near and the far pairs of a fit whose true distances fall into two bins only; null: they do not.
 * @returns {{n: number, shares: number[]}[] | null}
 */
export function twoGroups(fit) {
    const groups = [];
    for (let o = 0; o < fit.observed.n; o++) {
        const counts = Array.from(fit.counts.subarray(o * fit.predicted.n, (o + 1) * fit.predicted.n));
        const n = counts.reduce((sum, count) => sum + count, 0);
        if (n > 0) groups.push({ n, shares: counts.map((count) => count / n) });
    }
    return groups.length === 2 ? groups : null;
}

export function groupNames(target) {
    return target === 'labels' ? ['pairs of one label', 'pairs of two labels'] : ['linked pairs', 'unlinked pairs'];
}

export function twoGroupsFigure(fit, groups, target) {
    const names = groupNames(target);
    const colours = [ACCENT, WARM];
    const step = (fit.predicted.to - fit.predicted.from) / fit.predicted.n;
    const edge = (bin) => fit.predicted.from + bin * step;
    const bins = groups.map(({ shares }) =>
        shares.map((share, bin) => ({ from: edge(bin), to: edge(bin + 1), share })),
    );
    const draw = (width) =>
        Plot.plot({
            ...CHART,
            width,
            height: Math.min(Math.max(width * 0.5, 220), 320),
            marginLeft: 58,
            marginBottom: 42,
            marginTop: 16,
            x: {
                label: 'predicted distance',
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: Math.max(3, Math.floor(width / 90)),
            },
            y: {
                label: 'share of the pairs',
                grid: true,
                percent: true,
                tickFormat: (share) => `${share}\u00a0%`,
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: 5,
            },
            marks: [
                ...bins.flatMap((some, group) => [
                    Plot.rectY(some, { x1: 'from', x2: 'to', y: 'share', fill: colours[group], fillOpacity: 0.35 }),
                    Plot.line(outline(some), {
                        x: '0',
                        y: '1',
                        stroke: colours[group],
                        strokeWidth: 1.5,
                        strokeDasharray: group === 0 ? undefined : '5 2',
                    }),
                ]),
                Plot.ruleY([0], { stroke: 'currentColor' }),
            ],
        });
    return figure({
        title: `Predicted distances of ${names.join(' and ')}`,
        note: h(
            'span',
            null,
            'The less the two overlap, the better near pairs are told from far ones. ',
            ...names.map((name, group) => keyEntry(`${name} (${counted(groups[group].n, 'pair')})`, colours[group])),
        ),
        label: `Predicted distances of ${names.join(' and ')}`,
        draw,
        rows: () => [
            ['predicted_from', 'predicted_to', ...names.map((name) => `fraction of ${name}`)],
            ...bins[0].map((bin, b) => [bin.from, bin.to, ...bins.map((some) => some[b].share)]),
        ],
        keys: () => names.map((text, group) => ({ text, colour: colours[group] })),
        table: numbers(
            ['predicted distance', ...names],
            bins[0].map((bin, b) => [
                `${number(bin.from)} to ${number(bin.to)}`,
                ...bins.map((some) => percent(some[b].share)),
            ]),
        ),
    });
}

/** The upper edge of neighbouring bars, as one line. */
const outline = (bins) => bins.flatMap(({ from, to, share }) => [[from, share], [to, share]]); // prettier-ignore

/** Where the two kinds lie on average, from bins of one true distance each. */
export function twoGroupsSentence(bins, target) {
    if (bins?.length !== 2) return null;
    const names = groupNames(target);
    const mean = ({ from, to, bias }) => number((from + to) / 2 + bias);
    return `On average ${names[0]} are predicted ${mean(bins[0])} apart, ${names[1]} ${mean(bins[1])}.`;
}
