// make-data.mjs - reports as `smerf report` would write them, made up: by the plain distance of random features, so that every
// number of a page can be checked. Also a command: node tests/make-data.mjs FOLDER writes one page of each kind.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MISSING = 0xffffffff;

/** A small generator, the same numbers every time. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}
const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

export function pack(type, values) {
    const Type = { f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array }[type];
    const array = Type.from(values);
    return { type, data: Buffer.from(array.buffer).toString('base64') };
}

/** As the C side writes JSON into a page. */
export function escaped(data) {
    const codes = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' };
    return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (letter) => codes[letter]);
}

export function fillTemplate(data, template) {
    const [head, tail] = template.split('/*DATA*/');
    return head + escaped(data) + tail;
}

/**
 * Items in groups of a plane with a few features more, and everything that a report may hold of them.
 * @param {{n: number, ids: string[], features: number[][], names: string[], groups: number[], k: number, seed?: number}} world
 */
function reportOf({ n, ids, features, names, groups, k, columns, title, target, seed = 1 }) {
    const draw = random(seed);
    const weights = names.map((_, f) => 1 / (1 + f));
    const distance = (a, b) =>
        Math.sqrt(
            features.reduce((sum, column, f) => sum + weights[f] * (column[a] - column[b]) ** 2, 0) / names.length,
        );
    const near = neighborsOf(n, distance, Math.min(10, n - 1), draw);
    const medoids = Array.from({ length: k }, (_, c) => groups.indexOf(c));
    return {
        format: 1,
        smerf: '0.1.0',
        title: `${title}.smerf`,
        files: { model: `${title}.smerf`, items: `${title}.csv`, target: null },
        explain_command: `smerf explain ${title}.smerf ${title}.csv --pair`,
        model: {
            method: 'smerf',
            target,
            target_columns: [],
            n_items: n,
            n_features: names.length,
            n_trees: 500,
            facts: [
                ['method', 'smerf'],
                ['target', target],
                ['items', String(n)],
                ['features', String(names.length)],
                ['trees', '500'],
                ['splits', 'axis'],
                ['candidates', '3'],
                ['min-parent', '2'],
                ['sample', 'bootstrap'],
                ['seed', '1'],
                ['feature names', names.join(', ')],
            ],
        },
        items: {
            n,
            are_training: true,
            ids,
            columns: [
                ...names.map((name, f) => ({
                    name,
                    role: 'feature',
                    kind: 'number',
                    values: pack('f32', features[f]),
                })),
                ...columns,
            ],
        },
        map: {
            x: pack('f32', features[0]),
            y: pack('f32', features[1]),
            n_landmarks: Math.min(n, 1000),
            share: 0.81,
            stress: 0.13,
        },
        clusters: {
            by: 'medoids',
            k,
            of: pack('u16', groups),
            medoids,
            chosen: true,
            silhouette: 0.41,
            silhouettes: pack('f32', groups.map(() => Math.max(-0.3, Math.min(0.9, 0.42 + 0.25 * normal(draw))))), // prettier-ignore
            tried: Array.from({ length: 11 }, (_, t) => [t + 2, 0.41 - 0.03 * Math.abs(t + 2 - k)]),
        },
        neighbors: near,
        explanations: explanationsOf(n, near, names, features, weights, distance, draw),
        importance: {
            features: names,
            gain: weights,
            permutation: weights.map((weight) => 0.3 * weight),
            standard_error: weights.map((weight) => 0.01 + 0.02 * weight),
            n_items: Math.min(n, 500),
            interaction: names.length > 2 ? { features: [0, 1, 2], value: [[0, 0.1, -0.02], [0.1, 0, 0.01], [-0.02, 0.01, 0]], standard_error: [[0, 0.02, 0.01], [0.02, 0, 0.01], [0.01, 0.01, 0]] } : null, // prettier-ignore
        },
        heat: heatOf(n, groups, medoids, distance),
        notes: [],
        absent: {},
    };
}

/** Exact for few items; for many only among some drawn ones, which is enough for a page to be tested. */
function neighborsOf(n, distance, k, draw) {
    const item = new Uint32Array(n * k).fill(MISSING);
    const found = new Float32Array(n * k).fill(NaN);
    const some = n <= 2000 ? null : 200;
    for (let a = 0; a < n; a++) {
        const others = some
            ? Array.from({ length: some }, () => Math.floor(draw() * n))
            : Array.from({ length: n }, (_, b) => b);
        const list = [...new Set(others)].filter((b) => b !== a).map((b) => [distance(a, b), b]).sort((p, q) => p[0] - q[0]); // prettier-ignore
        list.slice(0, k).forEach(([z, b], r) => {
            item[a * k + r] = b;
            found[a * k + r] = z;
        });
    }
    return { k, item: pack('u32', item), distance: pack('f32', found), raw: item };
}

function explanationsOf(n, near, names, features, weights, distance, draw) {
    const pairs = new Map();
    const add = (a, b) =>
        a !== b && b < n && pairs.set(`${Math.min(a, b)} ${Math.max(a, b)}`, [Math.min(a, b), Math.max(a, b)]);
    for (let a = 0; a < n; a++) for (let r = 0; r < Math.min(5, near.k); r++) add(a, near.raw[a * near.k + r]);
    const nSampled = Math.min(100, n);
    const sampled = Array.from({ length: nSampled }, (_, s) => Math.floor((s * n) / nSampled));
    for (const a of sampled) for (const b of sampled) add(a, b);
    delete near.raw;

    const list = [...pairs.values()];
    const nShown = Math.min(8, names.length);
    const told = { feature: [], share: [], rest: [], baseline: [], distance: [] };
    for (const [a, b] of list) {
        const shares = names.map((_, f) => weights[f] * (Math.abs(features[f][a] - features[f][b]) - 1) * 0.3);
        const order = names.map((_, f) => f).sort((p, q) => Math.abs(shares[q]) - Math.abs(shares[p]));
        const z = distance(a, b);
        const total = shares.reduce((sum, share) => sum + share, 0);
        told.baseline.push(z - total);
        told.distance.push(z);
        told.feature.push(...order.slice(0, nShown));
        told.share.push(...order.slice(0, nShown).map((f) => shares[f]));
        told.rest.push(order.slice(nShown).reduce((sum, f) => sum + shares[f], 0));
    }
    return {
        features: names,
        n_shown: nShown,
        left: pack('u32', list.map(([a]) => a)),
        right: pack('u32', list.map(([, b]) => b)),
        baseline: pack('f32', told.baseline),
        distance: pack('f32', told.distance),
        feature: pack('u16', told.feature),
        share: pack('f32', told.share),
        rest: pack('f32', told.rest),
        n_sampled: nSampled,
    }; // prettier-ignore
}

function heatOf(n, groups, medoids, distance) {
    const m = Math.min(n, 300);
    const items = Array.from({ length: m }, (_, s) => Math.floor((s * n) / m));
    items.sort((a, b) => groups[a] - groups[b] || distance(a, medoids[groups[a]]) - distance(b, medoids[groups[b]]));
    return {
        items,
        distance: pack(
            'f32',
            items.flatMap((a) => items.map((b) => distance(a, b))),
        ),
    };
}

/** Scores and a density for true distances that the predictions miss by a little. */
function withFit(report, n, seed = 5) {
    const draw = random(seed);
    const bins = 60;
    const [observed, predicted] = [{ from: 0, to: 3, n: bins }, { from: 0, to: 3, n: bins }]; // prettier-ignore
    const counts = new Uint32Array(bins * bins);
    const nPairs = Math.min((n * (n - 1)) / 2, 200000);
    const pairs = [];
    for (let p = 0; p < nPairs; p++) {
        const truth = Math.min(Math.abs(1.2 + 0.5 * normal(draw)), 2.99);
        const guess = Math.min(Math.max(0.2 + 0.85 * truth + 0.12 * normal(draw), 0), 2.99);
        pairs.push([truth, guess]);
        counts[Math.floor(truth / 0.05) * bins + Math.floor(guess / 0.05)]++;
    }
    pairs.sort((a, b) => a[0] - b[0]);
    const byDistance = Array.from({ length: 12 }, (_, k) => {
        const some = pairs.slice(Math.floor((k * nPairs) / 12), Math.floor(((k + 1) * nPairs) / 12));
        const mean = (of) => some.reduce((sum, pair) => sum + of(pair), 0) / some.length;
        return {
            from: some[0][0],
            to: some[some.length - 1][0],
            n: some.length,
            bias: mean(([z, g]) => g - z),
            rmse: Math.sqrt(mean(([z, g]) => (g - z) ** 2)),
        };
    });
    report.fit = { observed, predicted, counts: pack('u32', counts), by_distance: byDistance, n_pairs: nPairs };
    report.scores = { kind: 'out of bag', list: [{ name: 'rmse', value: 0.138 }, { name: 'spearman', value: 0.939 }, { name: 'map@10', value: 0.61 }], n_pairs: nPairs, n_items: Math.min(n, 2000), mean: 1.2, sd: 0.49 }; // prettier-ignore
    report.growth = growthOf([10, 20, 50, 100, 200, 500], [{ name: 'rmse', from: 0.2, limit: 0.138 }, { name: 'spearman', from: -0.5, limit: 0.94 }], Math.min(n, 300)); // prettier-ignore
    report.absent.curves = 'ROC and precision-recall curves are for networks and labels; this model learned distances.';
    return report;
}

/** Out of bag: of the trees about an eighth predict a pair; scores go to their limit as 1 / number. */
function growthOf(trees, metrics, nItems) {
    const last = trees[trees.length - 1];
    return {
        kind: 'out of bag',
        trees,
        predicting: trees.map((t) => 0.7 + 0.13 * t),
        metrics: metrics.map(({ name, from, limit }) => ({ name, values: trees.map((t) => limit + from / (0.7 + 0.13 * t)), with_all: limit + from / last, limit })), // prettier-ignore
        n_pairs: (nItems * (nItems - 1)) / 2,
        n_items: nItems,
    };
}

export function coloursReport() {
    const draw = random(139);
    const n = 139;
    const features = [[], [], []];
    const levels = [];
    for (let i = 0; i < n; i++) {
        const rgb = [0, 1, 2].map(() => Math.floor(256 * draw()));
        rgb.forEach((value, f) => features[f].push(value / 100));
        levels.push(`#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`);
    }
    const groups = levels.map((_, i) => (features[0][i] > 1.3 ? 2 : 0) + (features[1][i] > 1.3 ? 1 : 0));
    const order = [...new Set(groups)];
    const columns = [{ name: 'hex', role: 'other', kind: 'category', levels, codes: pack('u32', levels.map((_, i) => i)) }]; // prettier-ignore
    return withFit(reportOf({ n, ids: levels.map((_, i) => `colour ${i + 1}`), features, names: ['red', 'green', 'blue'], groups: groups.map((g) => order.indexOf(g)), k: order.length, columns, title: 'colours', target: 'distances' }), n); // prettier-ignore
}

export const HOSTILE = '</script><script>alert(1)</script>';
export const HOSTILE_IDS = [
    HOSTILE,
    '<img src=x onerror=alert(1)>',
    "it's; rm -rf $HOME `x`",
    '<!-- --> &amp; "quoted"',
    '\u2028line\u2029',
    '<b>bold</b>',
    'ünïcödé 漢字 🎈',
    'x'.repeat(300),
    '',
    '-dash',
];

function crowd(n, nGroups, nFeatures, seed) {
    const draw = random(seed);
    const centres = Array.from({ length: nGroups }, () => Array.from({ length: nFeatures }, () => 3 * normal(draw)));
    const groups = Array.from({ length: n }, (_, i) => (i < nGroups ? i : Math.floor(draw() ** 1.5 * nGroups)));
    const features = Array.from({ length: nFeatures }, (_, f) => groups.map((g) => centres[g][f] + 0.6 * normal(draw)));
    return { groups, features, draw };
}

/** 1,000 items: many levels, missing values, outliers, hostile names everywhere. */
export function mixedReport(n = 1000) {
    const { groups, features, draw } = crowd(n, 6, 12, 7);
    features[2] = features[2].map((value, i) => (i % 9 === 0 ? NaN : value));
    const shown = features.map((column, f) => (f === 3 ? column.map((value, i) => (i === 5 ? 1e6 : value)) : column));
    const ids = Array.from({ length: n }, (_, i) => HOSTILE_IDS[i] ?? `item-${String(i).padStart(5, '0')}`);
    const levels = ['A', 'B', HOSTILE, ...Array.from({ length: 14 }, (_, l) => `level ${l}`)];
    const codes = groups.map((g, i) =>
        i % 17 === 0 ? MISSING : draw() < 0.7 ? g % 3 : Math.floor(draw() * levels.length),
    );
    const columns = [
        { name: 'kind', role: 'target', kind: 'category', levels, codes: pack('u32', codes) },
        { name: '<i>note</i>', role: 'other', kind: 'category', levels: ['yes', 'no'], codes: pack('u32', codes.map((code) => (code === MISSING ? MISSING : code % 2))) }, // prettier-ignore
    ];
    const clean = features.map((column) => column.map((value) => (Number.isNaN(value) ? 0 : value)));
    const names = Array.from({ length: 12 }, (_, f) => (f === 1 ? '<script>alert(2)</script>' : `feature ${f + 1}`));
    const report = withFit(
        reportOf({ n, ids, features: clean, names, groups, k: 6, columns, title: 'mixed', target: 'distances' }),
        n,
    );
    shown.forEach((column, f) => (report.items.columns[f].values = pack('f32', column)));
    report.title = HOSTILE;
    report.notes = [`${n} of ${n} items were scored. ${HOSTILE}`];
    return report;
}

/** Near pairs at 0 and far ones at 1, predicted with overlap. */
function twoGroupsFit() {
    const n = 60;
    const counts = new Uint32Array(n * n);
    for (let p = 0; p < n; p++) {
        counts[p] = Math.round(200 * Math.exp(-(((p - 38) / 9) ** 2)));
        counts[(n - 1) * n + p] = Math.round(3000 * Math.exp(-(((p - 54) / 4) ** 2)));
    }
    const bins = [{ from: 0, to: 0, n: 3000, bias: 0.64, rmse: 0.66 }, { from: 1, to: 1, n: 24000, bias: -0.09, rmse: 0.12 }]; // prettier-ignore
    return { observed: { from: 0, to: 1, n }, predicted: { from: 0, to: 1, n }, counts: pack('u32', counts), by_distance: bins, n_pairs: 27261 }; // prettier-ignore
}

/** A network: curves, two groups instead of a density. */
export function graphReport(n = 234) {
    const { groups, features } = crowd(n, 4, 5, 11);
    const report = reportOf({ n, ids: groups.map((_, i) => `author ${i}`), features, names: ['a', 'b', 'c', 'd', 'e'], groups, k: 4, columns: [], title: 'network', target: 'graph' }); // prettier-ignore
    const steps = Array.from({ length: 200 }, (_, t) => t / 199);
    report.scores = { kind: 'out of bag', list: [{ name: 'auc-roc', value: 0.931 }, { name: 'auc-pr', value: 0.462 }], n_pairs: 27261, n_items: n, mean: 0.95, sd: 0.2 }; // prettier-ignore
    report.curves = {
        roc: steps.flatMap((t) => [
            [t, Math.max(0, t - 0.02) ** 0.1],
            [t, t ** 0.1],
        ]), // steps, as real ones have // prettier-ignore
        pr: steps.map((t) => [t, 0.05 + 0.9 * (1 - t) ** 1.5]),
        share_of_links: 0.05,
    };
    report.growth = growthOf([5, 10, 20, 50], [{ name: 'rmse', from: 0.3, limit: 0.2 }, { name: 'auc-roc', from: -0.3, limit: 0.95 }, { name: 'auc-pr', from: -0.3, limit: 0.5 }], n); // prettier-ignore
    report.fit = twoGroupsFit();
    return report;
}

export function largeReport(n = 20000) {
    const { groups, features, draw } = crowd(n, 9, 20, 20);
    const levels = Array.from({ length: 30 }, (_, l) => `class ${l}`);
    const columns = [{ name: 'class', role: 'other', kind: 'category', levels, codes: pack('u32', groups.map((g) => (draw() < 0.9 ? g : Math.floor(draw() * 30)))) }]; // prettier-ignore
    const report = withFit(reportOf({ n, ids: groups.map((_, i) => `item-${String(i).padStart(5, '0')}`), features, names: features.map((_, f) => `x${f + 1}`), groups, k: 9, columns, title: 'large', target: 'distances' }), n); // prettier-ignore
    report.notes = ['2,000 of 20,000 items were scored.', 'The heat map shows 300 of 20,000 items.'];
    return report;
}

/** Another method: no trees, no clusters, nothing scored. */
export function bareReport() {
    const { features, groups } = crowd(40, 2, 2, 3);
    const full = reportOf({ n: 40, ids: groups.map((_, i) => String(i + 1)), features, names: ['x', 'y'], groups, k: 2, columns: [], title: 'plain', target: 'distances' }); // prettier-ignore
    full.model = { ...full.model, method: 'mahalanobis', n_trees: 0, facts: [['method', 'mahalanobis'], ['seed', '1'], ['kkt residual', '1e-9']] }; // prettier-ignore
    for (const name of ['clusters', 'explanations', 'importance', 'heat', 'scores']) full[name] = null;
    full.map.share = null;
    full.absent = {
        scores: 'This method has no out-of-bag pairs. Give a target to score it.',
        explanations: 'Only forests explain their distances by features.',
    };
    return full;
}

/** Two items, one of them without a place; all that can be one, equal, missing or empty is. */
export function tinyReport() {
    const report = reportOf({ n: 2, ids: ['a', 'b'], features: [[1, 1], [0, 0]], names: ['x', 'y'], groups: [0, 0], k: 1, columns: [], title: 'tiny', target: 'new' }); // prettier-ignore
    report.items.columns.push({
        name: 'gone',
        role: 'other',
        kind: 'category',
        levels: [],
        codes: pack('u32', [MISSING, MISSING]),
    });
    report.items.columns.push({ name: 'lost', role: 'other', kind: 'number', values: pack('f32', [NaN, NaN]) });
    report.map.x = pack('f32', [1, NaN]);
    Object.assign(report.clusters, { silhouette: null, silhouettes: pack('f32', [NaN, NaN]), tried: null });
    report.scores = { kind: 'given target', list: [{ name: 'rmse', value: 0 }, { name: 'spearman', value: null }, { name: 'other', value: 2 }], n_pairs: 1, n_items: 2, mean: 1, sd: null }; // prettier-ignore
    report.fit = { observed: { from: 1, to: 1, n: 1 }, predicted: { from: 1, to: 1, n: 1 }, counts: pack('u32', [1]), by_distance: [], n_pairs: 1 }; // prettier-ignore
    report.growth = { kind: 'given target', trees: [1, 2], predicting: [1, 2], metrics: [{ name: 'rmse', values: [null, 0], limit: null }], n_pairs: 1, n_items: 2 }; // prettier-ignore
    report.importance = {
        features: ['x', 'y'],
        gain: [0, 0],
        permutation: null,
        standard_error: null,
        n_items: 2,
        interaction: null,
    };
    return report;
}

/** Labels: 26 classes, 20 clusters (the most that were tried), ids and columns, and what the labels are taken for. */
export function lettersReport(n = 800) {
    const { groups, features, draw } = crowd(n, 20, 10, 26);
    const levels = Array.from({ length: 26 }, (_, l) => String.fromCharCode(65 + l));
    const codes = groups.map((g) => (draw() < 0.8 ? g : Math.floor(draw() * 26)));
    const columns = [
        { name: 'letter', role: 'target', kind: 'category', levels, codes: pack('u32', codes) },
        { name: 'kind', role: 'other', kind: 'category', levels: levels.map((level) => `kind ${level}`), codes: pack('u32', codes) }, // prettier-ignore
    ];
    const names = features.map((_, f) => `feature ${f + 1}`);
    const report = reportOf({ n, ids: codes.map((c, i) => `${levels[c]}${i}`), features, names, groups, k: 20, columns, title: 'letters', target: 'labels' }); // prettier-ignore
    report.model.target_columns = ['letter'];
    report.clusters.tried = Array.from({ length: 19 }, (_, t) => [t + 2, 0.2 + 0.01 * t]);
    const counts = levels.map(() => levels.map(() => 0));
    for (const code of codes) counts[code][draw() < 0.9 ? code : Math.floor(draw() * 26)]++;
    report.classification = { kind: 'out of bag', how: 'the votes of the trees', labels: levels, counts, n_unpredicted: 3 }; // prettier-ignore
    report.scores = { kind: 'out of bag', list: [{ name: 'auc-roc', value: 0.97 }], n_pairs: 9000, n_items: n, mean: 0.95, sd: 0.2 }; // prettier-ignore
    return report;
}

/** Responses: the second direction of the map has little spread but for one item; distances worse than guessing. */
export function responseReport(n = 300, flatness = 0.06) {
    const draw = random(31);
    const response = Array.from({ length: n }, () => 100 * normal(draw) + 150);
    const along = response.map((y) => 30 * y);
    const up = response.map((_, i) => 3000 * flatness * normal(draw) * (i === 4 ? 12 : 1));
    const groups = response.map((y) => (y > 150 ? 1 : 0));
    const order = [...new Set(groups)];
    const columns = [{ name: 'y', role: 'target', kind: 'number', values: pack('f32', response) }];
    const report = withFit(reportOf({ n, ids: response.map((_, i) => `patient ${i}`), features: [along, up], names: ['x', 'z'], groups: groups.map((g) => order.indexOf(g)), k: 2, columns, title: 'response', target: 'response' }), n); // prettier-ignore
    const scale = 10000; // squared differences of responses are large
    for (const axis of [report.fit.observed, report.fit.predicted]) axis.to *= scale;
    report.fit.by_distance = report.fit.by_distance.map((bin) => ({ ...bin, from: bin.from * scale, to: bin.to * scale, bias: bin.bias * scale, rmse: bin.rmse * scale })); // prettier-ignore
    Object.assign(report.scores, { mean: report.scores.mean * scale, sd: report.scores.sd * scale });
    report.scores.list[0].value = 0.612 * scale;
    const [rmse] = report.growth.metrics;
    Object.assign(rmse, { values: rmse.values.map((value) => value * scale), with_all: rmse.with_all * scale, limit: rmse.limit * scale }); // prettier-ignore
    report.response = { kind: 'out of bag', r_squared: 0.43, n_items: n };
    report.scores.ceiling = { rmse: 0.2 * scale, spearman: 0.97, judges: [2, 5] };
    report.importance.permutation = report.importance.permutation.map((value) => value * scale ** 2);
    report.importance.standard_error = report.importance.standard_error.map((value) => value * scale ** 2);
    return report;
}

export const REPORTS = {
    colours: coloursReport,
    mixed: mixedReport,
    graph: graphReport,
    letters: lettersReport,
    response: responseReport,
    line: () => responseReport(300, 0.002),
    large: largeReport,
    bare: bareReport,
    tiny: tinyReport,
};

const here = dirname(fileURLToPath(import.meta.url));
export function writePage(name, folder, template = join(here, '../report-template.html')) {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}.html`);
    writeFileSync(path, fillTemplate(REPORTS[name](), readFileSync(template, 'utf8')));
    return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    for (const name of Object.keys(REPORTS)) console.log(writePage(name, process.argv[2] ?? '.'));
}
