// charts/growth.js - the scores of the first trees, so that one sees whether more would help. A score stands above the number of
// trees that predict a pair: out of bag that is a part of them, and the ring is what all would give for new items.
import * as Plot from '@observablehq/plot';
import { numbers } from '../dom.js';
import { count, number } from '../format.js';
import { growthSentence, scoreName } from '../sentences.js';
import { ACCENT, CHART, MUTED, axisMargin, figure } from './figure.js';

export function growthFigure(growth, metric) {
    const points = growth.trees
        .map((trees, k) => ({ trees, at: growth.predicting?.[k] ?? trees, value: metric.values[k] }))
        .filter((point) => point.value != null);
    const withAll = metric.with_all == null ? [] : [{ at: Math.max(...growth.trees), value: metric.with_all }];
    const places = [...growth.trees.map((trees, k) => growth.predicting?.[k] ?? trees), ...withAll.map(({ at }) => at)];
    const draw = (width) =>
        Plot.plot({
            ...CHART,
            width,
            height: Math.min(Math.max(width * 0.6, 200), 280),
            marginLeft: axisMargin(Math.max(...points.map((point) => Math.abs(point.value)))) + 6,
            marginBottom: 42,
            marginTop: 14,
            x: { type: 'log', label: null },
            y: {
                label: scoreName(metric.name),
                grid: true,
                nice: true,
                zero: false,
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: 5,
            },
            marks: [
                // An axis of its own, because that of a logarithmic scale leaves labels out.
                Plot.axisX(treeTicks(places, width), {
                    text: (n) => number(n, n < 10 ? 2 : 3),
                    label: growth.predicting ? 'trees that predict a pair' : 'trees',
                    labelAnchor: 'center',
                    labelArrow: 'none',
                }),
                Plot.ruleY(metric.limit == null ? [] : [metric.limit], {
                    stroke: MUTED,
                    strokeDasharray: '4 4',
                    strokeWidth: 1.5,
                }),
                Plot.line([...points.slice(-1), ...withAll], {
                    x: 'at',
                    y: 'value',
                    stroke: ACCENT,
                    strokeWidth: 1.5,
                    strokeDasharray: '2 4',
                }),
                Plot.line(points, { x: 'at', y: 'value', stroke: ACCENT, strokeWidth: 2 }),
                Plot.dot(withAll, { x: 'at', y: 'value', stroke: ACCENT, strokeWidth: 2, r: 5 }),
                Plot.dot(points, {
                    x: 'at',
                    y: 'value',
                    fill: ACCENT,
                    r: 3,
                    title: (point) => `${count(point.trees)} trees: ${number(point.value)}`,
                }),
            ],
        });
    return figure({
        title: scoreName(metric.name),
        note: growthSentence(metric, growth),
        label: `${scoreName(metric.name)} against the number of trees`,
        draw,
        rows: () => [
            ['trees', 'trees_predicting_a_pair', metric.name, 'what'],
            ...points.map((point) => [point.trees, point.at, point.value, 'measured']),
            ...withAll.map(({ at, value }) => [at, at, value, 'expected of new items']),
            ...(metric.limit == null ? [] : [[null, null, metric.limit, 'expected of any number of trees']]),
        ],
        table: numbers(
            ['trees', 'predict a pair', scoreName(metric.name)],
            [
                ...points.map((point) => [count(point.trees), number(point.at, 3), number(point.value, 4)]),
                ...withAll.map(({ at, value }) => [count(at), 'all, of new items', number(value, 4)]),
                ...(metric.limit == null ? [] : [['any number', 'all', number(metric.limit, 4)]]),
            ],
        ),
    });
}

/** Numbers of trees that were scored, the last one always, as far apart as their digits need. */
export function treeTicks(trees, width) {
    const [first, last] = [trees[0], trees[trees.length - 1]];
    const place = (n) => (Math.log(n / first) / Math.log(last / first)) * (width - 80);
    const ticks = [last];
    for (const n of [...trees].reverse()) if (place(ticks[0]) - place(n) > 44) ticks.unshift(n);
    return ticks;
}
