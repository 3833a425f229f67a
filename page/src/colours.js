// colours.js - which colour an item has on the map, and what its legend says.
// Categories: Okabe and Ito's palette; numbers: viridis. Both can be told apart by colour-blind readers.
import { interpolateViridis } from 'd3-scale-chromatic';
import { count, number } from './format.js';

// Of the palette's eight, yellow is darker on white paper, and black is white on a dark page.
const OKABE_ITO = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00'];
const LAST_TWO = { light: ['#111111', '#D8CA1C'], dark: ['#f4f4f4', '#F0E442'] };
const OTHERS = { light: '#9aa0a6', dark: '#7d858d' };
const MISSING = { light: '#8a9097', dark: '#8a9097' };
const N_STEPS = 64;
export const CLUSTER = ' cluster'; // no column's name starts with a space that smerf reads

/**
 * @typedef {object} Colouring
 * @property {string} title
 * @property {'category' | 'number' | 'own'} kind
 * @property {string[]} palette
 * @property {Uint16Array | Uint32Array} of each item's index in the palette
 * @property {number} missing the palette's index for missing values, drawn as a ring
 * @property {{colour: string, label: string, n: number, place: number}[]} legend
 * @property {{from: string, to: string, middle: string} | null} scale for numbers
 * @property {(item: number) => string} text
 */

export const isOwnColour = (column) =>
    column.kind === 'category' &&
    column.levels.length > 0 &&
    column.levels.every((level) => /^#[0-9a-f]{6}$/i.test(level));

/** What the map can be coloured by, in the order of the menu: [key, label]. */
export function colourings(report) {
    const list = report.columns.map((column, c) => {
        const told = isOwnColour(column) ? `${column.name} (its own colour)` : column.name;
        return [`column ${c}`, column.role === 'target' ? `${told} (target)` : told];
    });
    if (report.clusters) list.unshift([CLUSTER, `cluster (${report.clusters.k})`]);
    return list.length > 0 ? list : [['none', 'nothing']];
}

/** Colours themselves if there are any, else a category that was learned, else clusters, else the first column. */
export function firstColouring(report) {
    const find = (test) => report.columns.findIndex(test);
    const own = find(isOwnColour);
    if (own >= 0) return `column ${own}`;
    const target = find((column) => column.role === 'target');
    if (target >= 0) return `column ${target}`;
    return colourings(report)[0][0];
}

/** @returns {Colouring} */
export function makeColouring(report, key, theme) {
    if (key === CLUSTER) return byCluster(report.clusters, theme);
    const column = report.columns[Number(key.replace('column ', ''))];
    if (!column) return byNothing(report.n);
    if (column.kind === 'number') return byNumber(column, theme);
    return isOwnColour(column) ? byOwnColour(column, theme) : byLevel(column.name, column.levels, column.codes, theme);
}

/** @returns {Colouring} */
function byNothing(n) {
    const legend = [];
    return {
        title: '',
        kind: 'category',
        palette: ['#0072B2'],
        of: new Uint16Array(n),
        missing: -1,
        legend,
        scale: null,
        text: () => '',
    };
}

/** @returns {Colouring} */
function byCluster(clusters, theme) {
    const levels = Array.from({ length: clusters.k }, (_, c) => `cluster ${c + 1}`);
    const text = (item) => (clusters.of[item] < clusters.k ? String(clusters.of[item] + 1) : 'missing');
    return { ...byLevel('cluster', levels, clusters.of, theme), text };
}

/**
 * The most frequent levels have colours of their own; the others share one. Few levels keep their order.
 * @returns {Colouring}
 */
export function byLevel(title, levels, codes, theme) {
    const counts = new Array(levels.length).fill(0);
    let nMissing = 0;
    for (const code of codes) {
        if (code < levels.length) counts[code]++;
        else nMissing++;
    }
    const colours = [...OKABE_ITO, ...LAST_TWO[theme]];
    const used = levels.map((_, level) => level).filter((level) => counts[level] > 0);
    const shown =
        used.length <= colours.length
            ? used
            : used.sort((a, b) => counts[b] - counts[a] || a - b).slice(0, colours.length);
    const placeOf = new Uint16Array(levels.length).fill(shown.length);
    shown.forEach((level, place) => (placeOf[level] = place));
    const others = shown.length;
    const missing = others + 1;
    const of = Uint16Array.from(codes, (code) => (code < levels.length ? placeOf[code] : missing));

    const legend = shown.map((level, place) => ({
        colour: colours[place],
        label: levels[level],
        n: counts[level],
        place,
    }));
    const nOthers = codes.length - nMissing - shown.reduce((sum, level) => sum + counts[level], 0);
    if (nOthers > 0) {
        const hidden = counts
            .map((n, level) => (n > 0 && placeOf[level] === others ? level : -1))
            .filter((level) => level >= 0);
        const label = hidden.length === 1 ? levels[hidden[0]] : `${count(hidden.length)} others`;
        legend.push({ colour: OTHERS[theme], label, n: nOthers, place: others });
    }
    if (nMissing > 0) legend.push({ colour: MISSING[theme], label: 'missing', n: nMissing, place: missing });
    const palette = [...colours.slice(0, shown.length), OTHERS[theme], MISSING[theme]];
    const text = (item) => (codes[item] < levels.length ? levels[codes[item]] : 'missing');
    return { title, kind: 'category', palette, of, missing, legend, scale: null, text };
}

/** @returns {Colouring} */
function byOwnColour(column, theme) {
    const missing = column.levels.length;
    const of = Uint32Array.from(column.codes, (code) => Math.min(code, missing));
    const text = (item) => column.levels[column.codes[item]] ?? 'missing';
    return {
        title: column.name,
        kind: 'own',
        palette: [...column.levels, MISSING[theme]],
        of,
        missing,
        legend: [],
        scale: null,
        text,
    };
}

/**
 * A few extreme values must not squeeze all the others into one colour: then the scale ends at the 1st and the 99th of a hundred.
 * @returns {Colouring}
 */
function byNumber(column, theme) {
    const known = column.values.filter((value) => Number.isFinite(value)).sort();
    const at = (share) => known[Math.round(share * (known.length - 1))] ?? 0;
    let [from, to] = [at(0), at(1)];
    const isWide = at(0.99) > at(0.01) && to - from > 2 * (at(0.99) - at(0.01));
    if (isWide) [from, to] = [at(0.01), at(0.99)];
    const step = (value) =>
        to > from ? Math.round(Math.min(Math.max((value - from) / (to - from), 0), 1) * (N_STEPS - 1)) : 0;
    const missing = N_STEPS;
    const of = Uint16Array.from(column.values, (value) => (Number.isNaN(value) ? missing : step(value)));
    const palette = Array.from({ length: N_STEPS }, (_, s) => valueColour(s / (N_STEPS - 1), theme));
    palette.push(MISSING[theme]);
    const nMissing = column.values.length - known.length;
    const legend = nMissing > 0 ? [{ colour: MISSING[theme], label: 'missing', n: nMissing, place: missing }] : [];
    const scale = {
        from: (isWide ? '\u2264 ' : '') + number(from),
        middle: number((from + to) / 2),
        to: (isWide ? '\u2265 ' : '') + number(to),
    };
    return {
        title: column.name,
        kind: 'number',
        palette,
        of,
        missing,
        legend,
        scale,
        text: (item) => number(column.values[item], 4),
    };
}

/** Small to large; the ends that would vanish in the page's ground are left out. */
export const valueColour = (share, theme) =>
    hex(theme === 'dark' ? interpolateViridis(0.12 + 0.88 * share) : interpolateViridis(0.94 * share));

/** Little to much: from near the page's ground to far from it. */
export const densityColour = (share, theme) =>
    hex(theme === 'dark' ? interpolateViridis(0.1 + 0.9 * share) : interpolateViridis(0.97 * (1 - share)));

function hex(colour) {
    if (colour.startsWith('#')) return colour;
    const parts = colour.match(/\d+/g).slice(0, 3);
    return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Red, green and blue from 0 to 255. */
export const channels = (colour) => [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
