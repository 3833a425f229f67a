// What needs no browser: numbers unpacked, words quoted, sentences that are true.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { Report, unpack } from '../src/data.js';
import { change, count, counted, number, percent, score, shellQuote, shorten } from '../src/format.js';
import { byLevel, colourings, firstColouring, isOwnColour, makeColouring } from '../src/colours.js';
import { chanceOfMap, growthSentence, howWell, scoreSentence, whatWasLearned } from '../src/sentences.js';
import { twoGroups, twoGroupsSentence } from '../src/charts/two-groups.js';
import { neighborTowards } from '../src/map/keyboard.js';
import { findItems } from '../src/map/search.js';
import { Store } from '../src/store.js';
import { HOSTILE, HOSTILE_IDS, bareReport, coloursReport, escaped, mixedReport, pack, random } from './make-data.mjs';

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

test('frequent levels have a colour each, the others share one, missing ones are apart', () => {
    const levels = Array.from({ length: 20 }, (_, l) => `l${l}`);
    const codes = Uint32Array.from([...levels.flatMap((_, l) => new Array(l + 1).fill(l)), 4294967295]);
    const { legend, of, missing, text } = byLevel('x', levels, codes, 'light');
    assert.deepEqual(legend.map((entry) => entry.label), ['l19', 'l18', 'l17', 'l16', 'l15', 'l14', 'l13', 'l12', '12 others', 'missing']); // prettier-ignore
    assert.equal(
        legend.reduce((sum, entry) => sum + entry.n, 0),
        codes.length,
    );
    assert.equal(of[codes.length - 1], missing);
    assert.equal(text(codes.length - 1), 'missing');
    assert.equal(new Set(legend.map((entry) => entry.colour)).size >= 9, true);
});

test('few levels keep their order, one too many keeps its name', () => {
    const labels = (n) => byLevel('x', Array.from({ length: n }, (_, l) => `l${l}`), Uint32Array.from({ length: n }, (_, l) => l), 'dark').legend.map((entry) => entry.label); // prettier-ignore
    assert.deepEqual(labels(3), ['l0', 'l1', 'l2']);
    assert.equal(labels(9)[8], 'l8');
    assert.equal(labels(10)[8], '2 others');
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
    assert.match(scoreSentence({ name: 'rmse', value: 0.6 }, scores, context), /no worse/);
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

test('more trees help while the last doubling still did', () => {
    const trees = [1, 2, 4, 8];
    assert.match(
        growthSentence({ name: 'rmse', values: [4, 2, 1, 0.5] }, trees),
        /From 4 to 8 trees, RMSE fell by 50\u00a0%: more trees would help\./,
    );
    assert.match(
        growthSentence({ name: 'spearman', values: [0.1, 0.2, 0.9, 0.9005] }, trees),
        /rose by 0\.0005: more trees would hardly help/,
    );
    assert.match(
        growthSentence({ name: 'rmse', values: [1, 1, 1, 1] }, trees),
        /did not change: more trees would hardly help/,
    );
    assert.match(growthSentence({ name: 'rmse', values: [null, null, null, 1] }, trees), /too few/);
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
