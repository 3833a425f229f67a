// What needs no browser: numbers unpacked, words quoted, sentences that are true.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { Report, unpack } from '../src/data.js';
import { change, count, counted, number, percent, score, shellQuote, shorten } from '../src/format.js';
import {
    MOST_LEVELS,
    CLUSTER,
    byLevel,
    channels,
    colourings,
    firstColouring,
    isOwnColour,
    makeColouring,
} from '../src/colours.js';
import { csv, single } from '../src/csv.js';
import { slug } from '../src/download.js';
import { layoutOf } from '../src/map/layout.js';
import { FEW_IDS, NOTHING, labelOf, labellings } from '../src/map/labels.js';
import { drawMarks } from '../src/map/marks.js';
import { medoidColumns, spread } from '../src/charts/clusters.js';
import { accuracySentence, inkOn, mistakesSentence, pooled, totals } from '../src/charts/confusion.js';
import { SvgPen, xmlText } from '../src/svg.js';
import {
    chanceOfMap,
    clusterSentence,
    growthSentence,
    growthVerdict,
    howWell,
    layoutSentence,
    responseSentence,
    scoreSentence,
    scoredSentence,
    whatWasLearned,
} from '../src/sentences.js';
import { twoGroups, twoGroupsSentence } from '../src/charts/two-groups.js';
import { neighborTowards } from '../src/map/keyboard.js';
import { findItems } from '../src/map/search.js';
import { Store } from '../src/store.js';
import {
    HOSTILE,
    HOSTILE_IDS,
    bareReport,
    coloursReport,
    escaped,
    lettersReport,
    mixedReport,
    pack,
    random,
    responseReport,
} from './make-data.mjs';

test('numbers come out as they were packed', () => {
    const draw = random(1);
    for (const type of ['f32', 'u32', 'u16', 'u8']) {
        for (const n of [0, 1, 2, 3, 1000]) {
            const values = Array.from({ length: n }, () => Math.floor(draw() * 200));
            assert.deepEqual([...unpack(pack(type, values))], values);
        }
    }
    assert.ok(Number.isNaN(unpack(pack('f32', [NaN]))[0]));
    assert.deepEqual([...unpack(pack('u32', [4294967295]))], [4294967295]);
    assert.ok(Number.isNaN(unpack([1, null])[1]));
    assert.throws(() => unpack({ type: 'f99', data: '' }), /unknown type/);
});

test('a report of another format is refused', () => {
    assert.throws(() => new Report({ ...bareReport(), format: 2 }), /format 2/);
});

test('neighbours and accounts are those of the item, whichever comes first', () => {
    const report = new Report(coloursReport());
    const near = report.neighbors(7);
    assert.equal(near.length, 10);
    for (let r = 1; r < near.length; r++) assert.ok(near[r].distance >= near[r - 1].distance);
    const told = report.explanation(7, near[0].item);
    assert.deepEqual(report.explanation(near[0].item, 7), told);
    const sum = told.baseline + told.rest + told.shares.reduce((total, { share }) => total + share, 0);
    assert.ok(Math.abs(sum - told.distance) < 1e-5);
    assert.ok(Math.abs(report.distance(7, near[9].item) - near[9].distance) < 1e-6);
    assert.equal(report.distance(7, 7), null);
    assert.equal(new Report(bareReport()).explanation(0, 1), null);
});

test('numbers read well', () => {
    const cases = [[0, '0'], [0.048123, '0.0481'], [12.345, '12.3'], [1234.5, '1,235'], [-0.5, '\u22120.5'], [1e-7, '1e\u22127'], [2.5e9, '2.5e9'], [NaN, 'missing'], [null, 'missing'], [Infinity, '\u221e'], [0.9999, '1'], [99999.5, '100,000']]; // prettier-ignore
    for (const [value, text] of cases) assert.equal(number(value), text);
    assert.equal(change(0.5), '+0.5');
    assert.equal(count(20000), '20,000');
    assert.equal(score(0.99996), '0.99996');
    assert.equal(score(1), '1');
    assert.equal(score(0.9314), '0.931');
    assert.equal(counted(1, 'tree'), '1 tree');
    assert.equal(counted(500, 'tree'), '500 trees');
    assert.equal(percent(0.817), '82\u00a0%');
    assert.equal(shorten('\u{1f388}\u{1f388}\u{1f388}', 2), '\u{1f388}\u2026');
});

test('a shell gives quoted words back', () => {
    const words = [...HOSTILE_IDS, 'plain', "a'b", '$(touch x)', 'a\\b', '*', '~', 'new\nline', '#', '!x'];
    const out = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellQuote).join(' ')}`], { encoding: 'utf8' });
    assert.deepEqual(out.split('\0').slice(0, -1), words);
    assert.equal(shellQuote('aliceblue'), 'aliceblue');
});

test('what is written into a page cannot end its script', () => {
    const text = escaped(mixedReport(30));
    assert.ok(!/[<>&\u2028\u2029]/.test(text));
    assert.equal(JSON.parse(text).title, HOSTILE);
});

test('a column of colours is offered as its own colour and chosen', () => {
    const report = new Report(coloursReport());
    assert.ok(isOwnColour(report.columns[3]));
    assert.ok(!isOwnColour({ kind: 'category', levels: ['#12345g'] }));
    assert.ok(!isOwnColour({ kind: 'category', levels: [] }));
    assert.equal(firstColouring(report), 'column 3');
    const colouring = makeColouring(report, 'column 3', 'light');
    assert.equal(colouring.palette[colouring.of[5]], report.columns[3].levels[5]);
});

/** What marks a level on the map. */
const markOf = ({ colour, shape }) => `${colour} ${shape}`;
const numbered = (n) => Array.from({ length: n }, (_, l) => `l${l}`);

test('every class has a mark of its own, up to 48; then those of most items have, which is said', () => {
    for (const theme of ['light', 'dark']) {
        for (const n of [8, 26, MOST_LEVELS]) {
            const { legend, cap } = byLevel(
                'x',
                numbered(n),
                Uint32Array.from({ length: n }, (_, l) => l),
                theme,
            );
            assert.equal(new Set(legend.map(markOf)).size, n);
            assert.ok(legend.slice(0, 8).every((entry) => entry.shape === 'disc'));
            assert.equal(cap, null);
        }
    }
    const levels = numbered(60);
    const codes = Uint32Array.from([...levels.flatMap((_, l) => new Array(l + 1).fill(l)), 4294967295]);
    const { legend, of, missing, text, cap } = byLevel('x', levels, codes, 'light');
    assert.deepEqual(legend.map((entry) => entry.label), [...levels.slice(12), '12 others', 'missing']); // prettier-ignore
    assert.equal(new Set(legend.map(markOf)).size, 50);
    assert.equal(
        legend.reduce((sum, entry) => sum + entry.n, 0),
        codes.length,
    );
    assert.match(cap, /^48 of 60 have marks of their own, those of most items; the others are grey/);
    assert.equal(of[0], of[1], 'the two rarest have the same grey');
    assert.equal(of[codes.length - 1], missing);
    assert.equal(text(codes.length - 1), 'missing');
});

test('few levels keep their order, more are sorted by name, one too many keeps its name', () => {
    const labels = (levels) => byLevel('x', levels, Uint32Array.from(levels, (_, l) => l), 'dark').legend.map((entry) => entry.label); // prettier-ignore
    assert.deepEqual(labels(['c', 'a', 'b']), ['c', 'a', 'b']);
    assert.deepEqual(labels(numbered(12).reverse()), numbered(12));
    assert.equal(labels(numbered(MOST_LEVELS + 1))[MOST_LEVELS], `l${MOST_LEVELS}`);
    assert.equal(labels(numbered(MOST_LEVELS + 2))[MOST_LEVELS], '2 others');
});

/** Lightness and two differences of colour (CIELAB), of linear red, green and blue. */
function lab(linear) {
    const xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map((row, k) => row.reduce((sum, part, c) => sum + part * linear[c], 0) / [0.9505, 1, 1.089][k]); // prettier-ignore
    const [x, y, z] = xyz.map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// Machado, Oliveira and Fernandes (2009): what readers without one kind of cone see.
const BLINDNESS = {
    none: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    tritan: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}; // prettier-ignore

test('the first eight colours differ for colour-blind readers too, in both themes', () => {
    for (const theme of ['light', 'dark']) {
        const { legend } = byLevel(
            'x',
            numbered(8),
            Uint32Array.from(numbered(8), (_, l) => l),
            theme,
        );
        for (const [kind, matrix] of Object.entries(BLINDNESS)) {
            const seen = legend.map(({ colour }) => {
                const linear = channels(colour).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4)); // prettier-ignore
                return lab(matrix.map((row) => Math.min(Math.max(row.reduce((sum, part, c) => sum + part * linear[c], 0), 0), 1))); // prettier-ignore
            });
            for (let a = 0; a < 8; a++) {
                for (let b = 0; b < a; b++) {
                    const difference = Math.hypot(...seen[a].map((part, k) => part - seen[b][k]));
                    assert.ok(difference > 15, `${legend[a].colour} and ${legend[b].colour}, ${kind}: ${difference}`);
                }
            }
        }
    }
});

test('numbers are coloured from small to large; extremes and constants do no harm', () => {
    const report = new Report(mixedReport(300));
    for (const [key] of colourings(report)) {
        for (const theme of ['light', 'dark']) {
            const { of, palette } = makeColouring(report, key, theme);
            assert.equal(of.length, 300);
            for (const place of of) assert.ok(place < palette.length);
            for (const colour of palette) assert.match(colour, /^#[0-9a-f]{6}$/i);
        }
    }
    const wide = makeColouring(report, 'column 3', 'light');
    assert.match(wide.scale.to, /^\u2265 /);
    assert.ok(new Set(wide.of).size > 30);
    const constant = { n: 2, columns: [{ name: 'c', kind: 'number', values: Float32Array.of(4, 4) }], clusters: null };
    assert.deepEqual([...makeColouring(/** @type {any} */ (constant), 'column 0', 'light').of], [0, 0]);
});

test('sentences tell what the numbers say', () => {
    const scores = { sd: 0.5, n_items: 139 };
    const context = { target: 'graph', shareOfLinks: 0.05 };
    assert.match(
        scoreSentence({ name: 'rmse', value: 0.25 }, scores, context),
        /guessing the mean.*0\.5\. So 75\u00a0% of the variance/,
    );
    const worse = scoreSentence({ name: 'rmse', value: 0.6 }, scores, context);
    assert.match(worse, /off by 0\.6\. That is worse than guessing: guessing the mean.*0\.5 only/);
    assert.doesNotMatch(worse, /no worse|% of the variance/);
    assert.match(scoreSentence({ name: 'rmse', value: 0.50001 }, scores, context), /0\.5: no better and no worse/);
    assert.match(scoreSentence({ name: 'auc-roc', value: 0.931 }, scores, context), /linked pair.*93 times in 100/);
    assert.match(scoreSentence({ name: 'auc-roc', value: 0.9996 }, scores, context), /99\.96 times/);
    assert.match(
        scoreSentence({ name: 'auc-pr', value: 0.4 }, scores, { target: 'labels', shareOfLinks: 0.2 }),
        /chance would give 0\.2/,
    );
    assert.match(scoreSentence({ name: 'new', value: 0.4 }, scores, context), /new is 0\.4/);
    assert.match(scoreSentence({ name: 'rmse', value: null }, scores, context), /no value/);
    assert.match(
        whatWasLearned({ method: 'smerf', target: 'graph', n_trees: 1, n_items: 2, n_features: 1 }),
        /forest of 1 tree learned.*2 items are, from 1 feature and a network/,
    );
    assert.match(
        whatWasLearned({ method: 'epm', target: 'graph', n_trees: 0, n_items: 2, n_features: 0 }),
        /^An edge partition model tells how far apart 2 items are; it was learned from a network/,
    );
    assert.match(
        whatWasLearned({ method: 'euclidean', target: 'distances', n_items: 2, n_features: 3 }),
        /nothing was learned/,
    );
    assert.equal(howWell(null, 'graph'), null);
    const told = (rmse) => howWell({ kind: 'out of bag', sd: 0.5, list: [{ name: 'rmse', value: rmse }, { name: 'spearman', value: 0.3 }] }, 'distances'); // prettier-ignore
    assert.match(told(0.6), /farther from the truth than their mean would be/);
    assert.doesNotMatch(told(0.4), /farther from the truth/);
});

test('the chance level of map@10 is what shuffled rankings give', () => {
    const draw = random(3);
    const n = 60;
    let sum = 0;
    for (let turn = 0; turn < 4000; turn++) {
        const ranking = Array.from({ length: n - 1 }, (_, k) => [draw(), k < 10]).sort((a, b) => a[0] - b[0]);
        let [hits, precision] = [0, 0];
        ranking.forEach(([, isRelevant], k) => isRelevant && (precision += ++hits / (k + 1)));
        sum += precision / 10;
    }
    assert.ok(Math.abs(sum / 4000 - chanceOfMap(n)) < 0.005);
    assert.equal(chanceOfMap(2), 1);
    assert.ok(Math.abs(chanceOfMap(11) - 1) < 1e-12);
});

test('whether more trees help is told from what all trees and any number of them would have', () => {
    const oob = { trees: [20, 50, 500], predicting: [2.1, 6, 67.2], kind: 'out of bag' };
    const steep = { name: 'spearman', values: [0.82, 0.882, 0.9212], with_all: 0.9371, limit: 0.9376 };
    assert.equal(
        growthSentence(steep, oob),
        'Out of bag a pair is predicted by about 67 of the 500 trees: 0.9212; for new items, by all of them, about 0.9371, the ring; with any number of trees about 0.9376, dashed: more trees would hardly help.',
    );
    assert.match(growthSentence({ ...steep, with_all: 0.92 }, oob), /dashed: more trees would help\.$/);
    assert.match(growthSentence({ ...steep, with_all: 0.934 }, oob), /more trees would help a little\.$/);
    assert.match(
        growthSentence({ ...steep, with_all: null, limit: null }, oob),
        /0\.9212; where it would end cannot be told from so few\.$/,
    );
    const given = { trees: [1, 2, 4, 8], predicting: [1, 2, 4, 8], kind: 'given target' };
    assert.equal(
        growthSentence({ name: 'rmse', values: [4, 2, 1, 0.5], limit: 0.25 }, given),
        'With 8 trees it is 0.5; with any number of trees about 0.25, dashed: more trees would help.',
    );
    assert.match(growthSentence({ name: 'rmse', values: [null, null, null, 1], limit: 1 }, given), /too few/);
    const verdict = (withAll, limit) => growthVerdict({ ...oob, metrics: [steep, { name: 'rmse', values: [0.024, 0.0205, 0.0188], with_all: withAll, limit }] }); // prettier-ignore
    assert.equal(
        verdict(0.0186, 0.01857),
        'More trees would hardly help. After 500 trees, any number of others would lower the error of a new pair by 0.16\u00a0%.',
    );
    assert.match(verdict(0.0186, 0.0175), /^More trees would help\. .* by 5\.9/);
    assert.match(verdict(0.0186, 0.0186), /hardly help\. .* would lower no error\.$/);
    assert.match(verdict(null, null), /cannot be told/);
});

test('judges who differ leave a ceiling, and a response is scored itself', () => {
    const scores = { kind: 'out of bag', sd: 1, n_items: 20, ceiling: { rmse: 0.2, spearman: 0.97, judges: [2, 5] } };
    const context = { target: 'pairs', shareOfLinks: null };
    assert.match(scoreSentence({ name: 'spearman', value: 0.9 }, scores, context), /differ.*would have about 0\.97\.$/);
    assert.match(scoreSentence({ name: 'rmse', value: 0.5 }, scores, context), /differ.*be off by about 0\.2\.$/);
    assert.doesNotMatch(scoreSentence({ name: 'map@10', value: 0.5 }, scores, context), /judges/);
    assert.match(scoredSentence(scores), /rated by 2 to 5 judges\.$/);
    assert.match(scoredSentence({ ...scores, ceiling: { ...scores.ceiling, judges: [3, 3] } }), /rated by 3 judges\.$/);
    assert.doesNotMatch(scoredSentence({ ...scores, ceiling: undefined }), /judge/);
    const response = { kind: 'out of bag', r_squared: 0.427, n_items: 442 };
    assert.match(
        responseSentence(response),
        /of 442 items, by trees that have not seen the item, 43\u00a0% of the variance/,
    );
    assert.match(responseSentence({ ...response, r_squared: -0.1 }), /no better than by its mean/);
    assert.match(responseSentence({ ...response, r_squared: null }), /does not vary/);
});

test('clusters: which numbers were tried, and where the largest one won', () => {
    const clusters = { by: 'medoids', k: 3, chosen: true, silhouette: null, tried: [[2, 0.1], [3, 0.3], [4, 0.2]] }; // prettier-ignore
    assert.match(clusterSentence(clusters), /largest mean silhouette of 2 to 4\.$/);
    assert.match(clusterSentence({ ...clusters, k: 4 }), /4 is the most that were tried: more may fit better/);
    assert.match(clusterSentence({ ...clusters, chosen: false, tried: null }), /as many as were asked for/);
});

test('a flat map is stretched, one on a line becomes a strip with a density, any other stays', () => {
    const draw = random(9);
    const x = Float32Array.from({ length: 200 }, () => draw() * 100);
    const map = (height, far = 0) => ({ x, y: Float32Array.from({ length: 200 }, (_, i) => (i < far ? 90 : draw() * height)) }); // prettier-ignore
    assert.equal(layoutOf(map(60)).kind, 'plane');
    assert.equal(layoutSentence(layoutOf(map(60))), null);
    const flat = layoutOf(map(8, 1));
    assert.equal(flat.kind, 'stretched', 'one item far out does not make a map wide');
    assert.ok(flat.factor > 3 && flat.factor < 7);
    assert.equal(flat.nBeyond, 1);
    const height = Math.max(...flat.y) - Math.min(...flat.y);
    assert.ok(height > 35 && height <= 51, String(height));
    assert.match(layoutSentence(flat), /drawn [\d.]+ times as large.* 1 item that lies farther out is drawn/);
    const line = layoutOf(map(0.5));
    assert.equal(line.kind, 'line');
    assert.equal(line.x, x, 'left and right stay what they are');
    assert.ok(Math.max(...line.y) - Math.min(...line.y) > 20);
    assert.ok(line.outline.length > 50 && Math.max(...line.outline.map(([, half]) => half)) <= 25.1);
    assert.match(layoutSentence(line), /only left and right means something/);
    for (const values of [[], [1], [1, 1], [3, 3, 3], [NaN, NaN, NaN, 1]]) {
        const layout = layoutOf({ x: Float32Array.from(values), y: Float32Array.from(values) });
        assert.equal(layout.kind, 'plane');
    }
    const missing = layoutOf({ x: Float32Array.of(1, 2, 3, NaN), y: Float32Array.of(0, 0, 0, NaN) });
    assert.deepEqual([...missing.y].map(Number.isFinite), [true, true, true, false]);
    assert.equal(layoutOf(new Report(responseReport()).map).kind, 'stretched');
});

/** What is drawn over a map of 20 medoids near each other: the boxes of numbers and of names. */
function marksOf(labelling, colouring, selection = {}) {
    const report = new Report(lettersReport());
    report.clusters.medoids.forEach((item, c) => {
        report.map.x[item] = 100 + 9 * (c % 5);
        report.map.y[item] = 100 + 9 * Math.floor(c / 5);
    });
    const places = Array.from({ length: 50 }, (_, item) => item);
    places.slice(20).forEach((item) => {
        report.map.x[item] = 40 + 5 * item;
        report.map.y[item] = 300;
    });
    const [numbers, names] = [[], []];
    const pen = Object.assign(new SvgPen(), {
        measureText: (text) => ({ width: 7 * text.length }),
        fillRect: (x, y, width, height) => numbers.push([x, y, x + width, y + height]),
        fillText: (text, x, y) =>
            pen.textAlign !== 'center' && names.push([x, y - 8, x + 7 * text.length, y + 8, text]),
    });
    const now = { first: null, second: null, pointed: null, theme: 'light', isolated: null, labelling, colouring, ...selection }; // prettier-ignore
    const screen = (item) => [report.map.x[item], report.map.y[item]];
    drawMarks({ report, places, layout: report.map, size: { width: 600, height: 400 }, store: { now }, colouring: makeColouring(report, colouring, 'light'), frame: () => null, radius: () => 4, screen }, pen); // prettier-ignore
    return { report, numbers, names };
}

test('the numbers of clusters cover neither each other nor names', () => {
    const { numbers, names } = marksOf(FEW_IDS, CLUSTER);
    assert.equal(numbers.length, 20);
    assert.ok(names.length > 5);
    const overlap = (p, q) => p[0] < q[2] && q[0] < p[2] && p[1] < q[3] && q[1] < p[3];
    const all = [...numbers, ...names];
    const pairs = all.flatMap((p, a) => all.slice(a + 1).filter((q) => overlap(p, q)));
    // 20 medoids within 36 pixels: a few numbers find no free ground around them, but names never lie on a number.
    assert.ok(names.every((name) => numbers.every((some) => !overlap(name, some))));
    assert.ok(pairs.length <= 12, `${pairs.length} overlaps`);
});

test('an item has its name once, also a selected one and its neighbours', () => {
    const { report } = marksOf(FEW_IDS, CLUSTER);
    const [first, near] = [30, report.neighbors(30)[0].item];
    for (const selection of [{ first }, { first, second: near }, { first, second: 45 }]) {
        const names = marksOf(FEW_IDS, 'letter', selection).names.map((name) => name[4]);
        assert.equal(new Set(names).size, names.length, names.join(', '));
        for (const item of Object.values(selection)) assert.ok(names.includes(report.ids[item]));
    }
});

test('items are labelled by any column, or not at all', () => {
    const report = new Report(lettersReport());
    assert.deepEqual(labellings(report).slice(0, 3).map(([, label]) => label), ['id, if few', 'id', 'nothing']); // prettier-ignore
    const keys = Object.fromEntries(labellings(report).map(([key, label]) => [label, key]));
    const column = report.columns.find((some) => some.name === 'kind');
    const { names } = marksOf(keys.kind, keys.letter);
    assert.ok(names.length > 3 && names.every((name) => column.levels.includes(name[4])));
    assert.equal(marksOf(NOTHING, CLUSTER).names.length, 0);
    assert.match(labelOf(report, keys['feature 1'], 0), /^\u2212?\d/);
    const holes = new Report(mixedReport(30));
    const withHoles = labellings(holes).find(([, label]) => label === 'feature 3')[0];
    assert.equal(labelOf(holes, withHoles, 0), '', 'a missing value has no label');
});

test('numbers beside a chart move apart and stay within it', () => {
    const moved = spread([0, 1, 2, 3, 98, 99, 100], 10, 100);
    for (let k = 1; k < moved.length; k++) assert.ok(moved[k] - moved[k - 1] >= 9.999);
    assert.ok(moved[0] >= 0 && moved[moved.length - 1] <= 100);
    assert.deepEqual(spread([20, 50, 80], 10, 100), [20, 50, 80], 'what is apart stays');
    const crowded = spread([5, 5, 5, 5], 50, 90);
    assert.ok(crowded[0] >= -1e-9 && crowded[3] <= 90 && crowded[1] - crowded[0] > 29);
});

test('medoids are told by targets first, then by the features that matter', () => {
    const raw = lettersReport();
    raw.importance.permutation = raw.importance.permutation.map((_, k) => (k === 7 ? 9 : k));
    raw.importance.permutation[9] = 20;
    const names = medoidColumns(new Report(raw)).map((column) => column.name);
    assert.deepEqual(names.slice(0, 4), ['letter', 'kind', 'feature 10', 'feature 8']);
    assert.equal(names.length, 12);
});

test('labels: accuracy, what guessing gives, mistakes, and a matrix that fits', () => {
    const table = { kind: 'out of bag', labels: ['a', 'b', 'c'], counts: [[8, 2, 0], [1, 4, 0], [0, 0, 5]] }; // prettier-ignore
    assert.deepEqual(totals(table), { rowSums: [10, 5, 5], columnSums: [9, 6, 5], n: 20, right: 17, guess: 10 });
    assert.match(accuracySentence(table), /17 of 20 items: an accuracy of 0\.85, by trees.*guessing \u201ca\u201d every time would be right for 50/); // prettier-ignore
    assert.doesNotMatch(accuracySentence(table), /left out/);
    assert.match(accuracySentence({ ...table, n_unpredicted: 1 }), / 1 item that every tree has seen is left out\.$/);
    assert.match(mistakesSentence(table), /a for b \(2 times\), b for a \(1 time\)/);
    const poor = { ...table, kind: 'given target', counts: [[2, 8, 0], [1, 4, 0], [5, 0, 0]] }; // prettier-ignore
    assert.match(accuracySentence(poor), /0\.3; that is worse than guessing/);
    const even = { ...table, counts: [[10, 0, 0], [5, 0, 0], [5, 0, 0]] }; // prettier-ignore
    assert.match(accuracySentence(even), /right as often/);
    assert.match(mistakesSentence({ labels: ['a'], counts: [[3]] }), /^No label is taken/);
    assert.match(accuracySentence({ labels: ['a'], counts: [[0]] }), /No item/);
    const few = pooled(table, 2);
    assert.deepEqual(few.labels, ['a', 'others']);
    assert.deepEqual(few.counts, [[8, 2], [1, 9]]); // prettier-ignore
    assert.equal(pooled(table, 3), table);
    assert.equal(inkOn('#fde725'), '#000000');
    assert.equal(inkOn('#440154'), '#ffffff');
});

test('a table to save has every digit and any name', () => {
    const draw = random(4);
    for (let turn = 0; turn < 2000; turn++) {
        const value = Math.fround((draw() - 0.5) * 10 ** Math.floor(draw() * 60 - 30));
        assert.equal(Math.fround(single(value)), value);
        const exact = draw() * 10 ** Math.floor(draw() * 20 - 10);
        assert.equal(Number(csv([[exact]])), exact);
    }
    assert.equal(String(single(Math.fround(0.1))), '0.1');
    assert.equal(
        csv([['a', 'b,c'], ['say "x"', null], ['two\nlines', NaN], [' x', 0]]), // prettier-ignore
        'a,"b,c"\n"say ""x""",\n"two\nlines",\n" x",0\n',
    );
    assert.equal(slug('  ../<b>W\u00fcrfel</b> & co.smerf'), 'b-wurfel-b-co.smerf');
    assert.equal(slug('\u6f22\u5b57'), '');
    assert.equal(xmlText('<a>\u0000 & "b"\ufffe'), '&lt;a&gt; &amp; &quot;b&quot;');
});

test('links and other pairs are two groups; anything else is none', () => {
    const axis = { from: 0, to: 1, n: 3 };
    const fit = (counts) => ({ observed: axis, predicted: axis, counts: Uint32Array.from(counts) });
    const groups = twoGroups(fit([1, 3, 0, 0, 0, 0, 0, 0, 5]));
    assert.deepEqual(groups, [{ n: 4, shares: [0.25, 0.75, 0] }, { n: 5, shares: [0, 0, 1] }]); // prettier-ignore
    assert.equal(twoGroups(fit([1, 3, 0, 1, 0, 0, 0, 0, 5])), null);
    const bins = [{ from: 0, to: 0, bias: 0.3 }, { from: 1, to: 1, bias: -0.1 }]; // prettier-ignore
    assert.match(twoGroupsSentence(bins, 'graph'), /linked pairs are predicted 0\.3 apart, unlinked pairs 0\.9/);
    assert.equal(twoGroupsSentence([], 'graph'), null);
});

test('arrows go to the nearest item in their direction', () => {
    const map = { x: [0, 1, 2, 0, -1], y: [0, 0.1, 0, 1, 0] };
    const items = [0, 1, 2, 3, 4];
    assert.equal(neighborTowards(map, items, 0, [1, 0]), 1);
    assert.equal(neighborTowards(map, items, 0, [0, 1]), 3);
    assert.equal(neighborTowards(map, items, 0, [-1, 0]), 4);
    assert.equal(neighborTowards(map, items, 0, [0, -1]), null);
});

test('the search puts exact ids first, then beginnings', () => {
    const ids = ['xab', 'abc', 'ab', 'zz'];
    assert.deepEqual(findItems(ids, ' AB '), { items: [2, 1, 0], n: 3 });
    assert.deepEqual(findItems(ids, '  '), { items: [], n: 0 });
    assert.equal(findItems(ids, 'b', 1).items.length, 1);
});

test('a click selects, a second compares, a third begins anew', () => {
    const store = new Store(/** @type {any} */ ({ first: null, second: null, pointed: null }));
    const seen = [];
    store.watch((now) => seen.push([now.first, now.second]));
    for (const item of [1, 2, 3, 3]) store.pick(item);
    assert.deepEqual(seen, [[1, null], [1, 2], [3, null], [null, null]]); // prettier-ignore
    store.clear();
    assert.equal(seen.length, 4);
});
