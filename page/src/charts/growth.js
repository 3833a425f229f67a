// charts/growth.js - the scores of the first trees, so that one sees whether more would help.
import * as Plot from '@observablehq/plot';
import { numbers } from '../dom.js';
import { count, number } from '../format.js';
import { growthSentence, scoreName } from '../sentences.js';
import { ACCENT, CHART, MUTED, axisMargin, figure } from './figure.js';

export function growthFigure(growth, metric) {
    const points = growth.trees
        .map((trees, k) => ({ trees, value: metric.values[k] }))
        .filter((point) => point.value != null);
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
                Plot.axisX(treeTicks(growth.trees, width), {
                    text: (n) => count(n),
                    label: 'trees',
                    labelAnchor: 'center',
                    labelArrow: 'none',
                }),
                Plot.ruleY(metric.limit == null ? [] : [metric.limit], {
                    stroke: MUTED,
                    strokeDasharray: '4 4',
                    strokeWidth: 1.5,
                }),
                Plot.line(points, { x: 'trees', y: 'value', stroke: ACCENT, strokeWidth: 2 }),
                Plot.dot(points, {
                    x: 'trees',
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
        rows: () => [['trees', metric.name], ...points.map((point) => [point.trees, point.value])],
        table: numbers(
            ['trees', scoreName(metric.name)],
            points.map((point) => [count(point.trees), number(point.value, 4)]),
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
