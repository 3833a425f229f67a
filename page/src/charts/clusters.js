// charts/clusters.js - how well the clusters are apart, which number of them was chosen, and who stands for each.
import * as Plot from '@observablehq/plot';
import { h, numbers } from '../dom.js';
import { count, number } from '../format.js';
import { makeColouring, CLUSTER } from '../colours.js';
import { ACCENT, CHART, MUTED, figure } from './figure.js';

/** Size and mean silhouette of each cluster. */
export function summary(clusters) {
    const rows = Array.from({ length: clusters.k }, (_, c) => ({
        cluster: c,
        n: 0,
        sum: 0,
        medoid: clusters.medoids?.[c] ?? null,
    }));
    clusters.of.forEach((cluster, item) => {
        if (cluster >= clusters.k) return;
        rows[cluster].n++;
        rows[cluster].sum += clusters.silhouettes?.[item] ?? NaN;
    });
    return rows.map(({ sum, ...row }) => ({ ...row, silhouette: sum / row.n }));
}

export function triedFigure(clusters) {
    const points = clusters.tried.map(([k, value]) => ({ k, value })).filter((point) => point.value != null);
    const draw = (width) =>
        Plot.plot({
            ...CHART,
            width,
            height: 240,
            marginLeft: 52,
            marginBottom: 42,
            marginTop: 14,
            x: {
                label: 'number of clusters',
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: Math.min(points.length, Math.floor(width / 50)),
                tickFormat: (k) => (Number.isInteger(k) ? count(k) : ''),
            },
            y: {
                label: 'mean silhouette',
                grid: true,
                nice: true,
                zero: true,
                labelAnchor: 'center',
                labelArrow: 'none',
                ticks: 5,
            },
            marks: [
                Plot.line(points, { x: 'k', y: 'value', stroke: MUTED, strokeWidth: 1.5 }),
                Plot.dot(points, {
                    x: 'k',
                    y: 'value',
                    fill: (point) => (point.k === clusters.k ? ACCENT : MUTED),
                    r: (point) => (point.k === clusters.k ? 6 : 3),
                }),
            ],
        });
    return figure({
        title: 'How many clusters',
        note: `The larger the mean silhouette, the better items fit their own cluster. Chosen: ${clusters.k}.`,
        label: 'Mean silhouette against the number of clusters',
        draw,
        table: numbers(
            ['clusters', 'mean silhouette'],
            points.map((point) => [count(point.k), number(point.value)]),
        ),
    });
}

/** Every item as one thin bar, sorted within its cluster; a wide cluster with long bars is a good one. */
export function silhouetteFigure(report, store) {
    const { clusters } = report;
    const sorted = Array.from({ length: report.n }, (_, item) => item)
        .filter((item) => clusters.of[item] < clusters.k && !Number.isNaN(clusters.silhouettes[item]))
        .sort((a, b) => clusters.of[a] - clusters.of[b] || clusters.silhouettes[b] - clusters.silhouettes[a]);
    const draw = (width) => drawSilhouettes(sorted, clusters, makeColouring(report, CLUSTER, store.now.theme), width);
    return figure({
        title: 'Silhouettes',
        note: 'Each item is a bar, sorted within its cluster: to the right it is well inside, to the left it is nearer to another cluster.',
        label: 'Silhouettes of all items by cluster',
        draw,
    });
}

/** At most a few hundred steps: with more items than that each step is the mean of neighbours in the order. */
function drawSilhouettes(sorted, clusters, colouring, width) {
    const group = Math.ceil(sorted.length / 400);
    const steps = [];
    let start = 0;
    for (let end = 1; end <= sorted.length; end++) {
        const isSame = end < sorted.length && clusters.of[sorted[end]] === clusters.of[sorted[start]];
        if (isSame && end - start < group) continue;
        const some = sorted.slice(start, end);
        const value = some.reduce((sum, item) => sum + clusters.silhouettes[item], 0) / some.length;
        steps.push({
            from: start,
            to: end,
            value,
            cluster: clusters.of[sorted[start]],
            colour: colouring.palette[colouring.of[sorted[start]]],
        });
        start = end;
    }
    const middles = Array.from({ length: clusters.k }, (_, c) => {
        const own = steps.filter((step) => step.cluster === c);
        return own.length > 0 ? { name: String(c + 1), at: (own[0].from + own[own.length - 1].to) / 2 } : null;
    }).filter(Boolean);
    return Plot.plot({
        ...CHART,
        width,
        height: 240,
        marginLeft: 36,
        marginBottom: 42,
        marginTop: 14,
        x: { label: 'silhouette', grid: true, labelAnchor: 'center', labelArrow: 'none', ticks: 5 },
        y: { axis: null, reverse: true },
        marks: [
            Plot.rect(steps, {
                x1: 0,
                x2: 'value',
                y1: 'from',
                y2: 'to',
                fill: 'colour',
                insetTop: -0.3,
                insetBottom: -0.3,
            }),
            Plot.text(middles, { y: 'at', text: 'name', frameAnchor: 'left', dx: -16, fill: 'currentColor' }),
            Plot.ruleX([0], { stroke: 'currentColor' }),
        ],
    });
}

/** Cluster, size, who stands for it. */
export function clusterTable(report, store) {
    const rows = summary(report.clusters).map((row) =>
        h(
            'tr',
            null,
            h('th', { scope: 'row' }, String(row.cluster + 1)),
            h('td', null, count(row.n)),
            h('td', null, Number.isNaN(row.silhouette) ? '\u2013' : number(row.silhouette, 2)),
            h('td', { class: 'text' }, row.medoid === null ? '\u2013' : selectButton(report, store, row.medoid)),
        ),
    );
    const head = ['cluster', 'items', 'mean silhouette', 'in its middle'];
    return h(
        'div',
        { class: 'scroller' },
        h(
            'table',
            null,
            h('thead', null, h('tr', null, ...head.map((name) => h('th', { scope: 'col' }, name)))),
            h('tbody', null, ...rows),
        ),
    );
}

function selectButton(report, store, item) {
    return h(
        'button',
        { type: 'button', class: 'link', onclick: () => store.set({ first: item, second: null }) },
        report.ids[item],
    );
}
