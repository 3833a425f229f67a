// charts/clusters.js - how well the clusters are apart, which number of them was chosen, and who stands for each.
import * as Plot from '@observablehq/plot';
import { single } from '../csv.js';
import { h, numbers } from '../dom.js';
import { downloadMenu } from '../download.js';
import { count, counted, number } from '../format.js';
import { makeColouring, CLUSTER } from '../colours.js';
import { legendMark } from '../map/legend.js';
import { ACCENT, CHART, MUTED, figure } from './figure.js';

const LABEL_GAP = 13; // pixels between the numbers of two clusters
const CLUSTER_GAP = 2; // pixels of ground between two clusters
const MOST_COLUMNS = 8; // values of medoids, on the page; the download has all

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
        rows: () => [['clusters', 'mean_silhouette'], ...points.map((point) => [point.k, point.value])],
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
        rows: () => [
            ['item', 'cluster', 'silhouette'],
            ...sorted.map((item) => [report.ids[item], clusters.of[item] + 1, single(clusters.silhouettes[item])]),
        ],
    });
}

/** Bars from top to bottom; of very many items each bar is the mean of neighbours in the order. */
function barsOf(sorted, clusters, colouring, gap) {
    const group = Math.ceil(sorted.length / 400);
    const bars = [];
    let start = 0;
    let shift = 0; // by the ground between clusters
    for (let end = 1; end <= sorted.length; end++) {
        const cluster = clusters.of[sorted[start]];
        const isSame = end < sorted.length && clusters.of[sorted[end]] === cluster;
        if (isSame && end - start < group) continue;
        const some = sorted.slice(start, end);
        const value = some.reduce((sum, item) => sum + clusters.silhouettes[item], 0) / some.length;
        const colour = colouring.palette[colouring.of[sorted[start]]];
        bars.push({ from: start + shift, to: end + shift, value, cluster, colour });
        start = end;
        if (!isSame) shift += gap;
    }
    return bars;
}

/** Moves sorted positions apart until none is nearer to the next than a gap, and all lie within 0 and the end. */
export function spread(positions, gap, end) {
    const step = Math.min(gap, end / Math.max(positions.length - 1, 1));
    const moved = [];
    positions.forEach((position, k) => {
        moved.push(k === 0 ? position : Math.max(position, moved[k - 1] + step));
    });
    for (let k = moved.length - 1, most = end; k >= 0; k--, most = moved[k + 1] - step)
        moved[k] = Math.min(moved[k], most);
    return moved;
}

function drawSilhouettes(sorted, clusters, colouring, width) {
    const inner = Math.max(184, 1.4 * clusters.k * LABEL_GAP);
    const gap = clusters.k > 1 ? (CLUSTER_GAP / inner) * sorted.length : 0;
    const bars = barsOf(sorted, clusters, colouring, gap);
    const total = bars.length > 0 ? bars[bars.length - 1].to : 1;
    const labels = [...new Set(bars.map((bar) => bar.cluster))].map((cluster) => {
        const own = bars.filter((bar) => bar.cluster === cluster);
        return { name: String(cluster + 1), at: (own[0].from + own[own.length - 1].to) / 2 };
    });
    const pixels = inner / total;
    const apart = spread(
        labels.map((label) => label.at * pixels),
        LABEL_GAP,
        inner,
    );
    const lines = labels.map((label, k) => ({ ...label, drawn: apart[k] / pixels }));
    return Plot.plot({
        ...CHART,
        width,
        height: inner + 56,
        marginLeft: 46,
        marginBottom: 42,
        marginTop: 14,
        x: { label: 'silhouette', grid: true, labelAnchor: 'center', labelArrow: 'none', ticks: 5 },
        y: { axis: null, reverse: true, domain: [0, total] },
        marks: [
            Plot.rect(bars, {
                x1: 0,
                x2: 'value',
                y1: 'from',
                y2: 'to',
                fill: 'colour',
                insetTop: -0.3,
                insetBottom: -0.3,
            }),
            // From a number that had to move to the cluster that it stands for.
            () => leaders(lines, pixels),
            Plot.text(lines, { y: 'drawn', text: 'name', frameAnchor: 'left', textAnchor: 'end', dx: -18, fill: 'currentColor' }), // prettier-ignore
            Plot.ruleX([0], { stroke: 'currentColor' }),
        ],
    });
}

/** Short lines in the left margin, in pixels. */
function leaders(lines, pixels) {
    const group = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    group.setAttribute('stroke', MUTED);
    for (const { at, drawn } of lines) {
        const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
        const ends = { x1: 31, y1: 14 + drawn * pixels, x2: 42, y2: 14 + at * pixels };
        for (const [name, value] of Object.entries(ends)) line.setAttribute(name, String(value));
        group.append(line);
    }
    return group;
}

/** The columns that say most of a medoid: targets and others first, then features as they matter. */
export function medoidColumns(report) {
    const { importance } = report.raw;
    const by = importance?.permutation ?? importance?.gain ?? [];
    const weight = new Map((importance?.features ?? []).map((name, k) => [name, by[k] ?? -Infinity]));
    const isFeature = (column) => (column.role === 'feature' ? 1 : 0);
    return [...report.columns].sort(
        (a, b) =>
            isFeature(a) - isFeature(b) ||
            (isFeature(a) ? (weight.get(b.name) ?? -Infinity) - (weight.get(a.name) ?? -Infinity) || 0 : 0),
    );
}

/** Cluster, size, who stands for it, and what that item is like. */
export function clusterTable(report, store) {
    const rows = summary(report.clusters);
    const columns = rows.some((row) => row.medoid !== null) ? medoidColumns(report) : [];
    const shown = columns.slice(0, MOST_COLUMNS);
    const { cap } = makeColouring(report, CLUSTER, store.now.theme);
    const marks = rows.map(() => h('span', null));
    const paintMarks = () => {
        const { legend } = makeColouring(report, CLUSTER, store.now.theme);
        for (const entry of legend) {
            const cluster = Number(/^cluster (\d+)$/.exec(entry.label)?.[1]) - 1;
            marks[cluster]?.replaceChildren(legendMark(entry, false));
        }
    };
    store.watch((_, changed) => changed('theme') && paintMarks());
    paintMarks();
    const head = ['cluster', 'items', 'mean silhouette', 'in its middle'];
    const body = rows.map((row, c) =>
        h(
            'tr',
            null,
            h('th', { scope: 'row' }, marks[c], ` ${c + 1}`),
            h('td', null, count(row.n)),
            h('td', null, Number.isNaN(row.silhouette) ? '\u2013' : number(row.silhouette, 2)),
            h('td', { class: 'text' }, row.medoid === null ? '\u2013' : selectButton(report, store, row.medoid)),
            ...shown.map((column) => medoidValue(report, column, row.medoid)),
        ),
    );
    const values =
        shown.length === 0
            ? null
            : `On the right are the values of the item in the middle of each cluster${
                  shown.length < columns.length
                      ? `: ${count(shown.length)} of ${counted(columns.length, 'column')}, those that matter most; the file to save has all`
                      : ''
              }.`;
    const title = 'The clusters and the items in their middle';
    return h(
        'div',
        { class: 'cluster-table' },
        h(
            'div',
            { class: 'figure-head' },
            h('h3', null, `${capitalCount(rows.length)}`),
            downloadMenu({ title, rows: () => tableRows(report, rows, columns) }),
        ),
        values && h('p', { class: 'note' }, values),
        cap && h('p', { class: 'note' }, cap),
        h(
            'div',
            { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': title },
            h(
                'table',
                null,
                h(
                    'thead',
                    null,
                    h(
                        'tr',
                        null,
                        ...head.map((name, k) => h('th', { scope: 'col', class: k === 3 && 'text' }, name)),
                        ...shown.map((column) =>
                            h('th', { scope: 'col', class: column.kind === 'category' && 'text' }, column.name),
                        ),
                    ),
                ),
                h('tbody', null, ...body),
            ),
        ),
    );
}

const capitalCount = (n) => (n === 1 ? 'One cluster' : `${count(n)} clusters`);

function medoidValue(report, column, medoid) {
    const value = medoid === null ? null : report.value(column, medoid);
    if (column.kind === 'category') return h('td', { class: 'text' }, value ?? '\u2013');
    return h('td', null, value === null || Number.isNaN(value) ? '\u2013' : number(value, 4));
}

function tableRows(report, rows, columns) {
    const value = (column, item) => {
        const found = item === null ? null : report.value(column, item);
        return column.kind === 'number' && found !== null ? single(found) : found;
    };
    return [
        ['cluster', 'items', 'mean_silhouette', 'medoid', ...columns.map((column) => column.name)],
        ...rows.map((row) => [
            row.cluster + 1,
            row.n,
            row.silhouette,
            row.medoid === null ? null : report.ids[row.medoid],
            ...columns.map((column) => value(column, row.medoid)),
        ]),
    ];
}

function selectButton(report, store, item) {
    return h(
        'button',
        { type: 'button', class: 'link', onclick: () => store.set({ first: item, second: null }) },
        report.ids[item],
    );
}
