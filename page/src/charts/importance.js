// charts/importance.js - which features matter, alone and in pairs, with what is uncertain about it.
import * as Plot from '@observablehq/plot';
import { numbers } from '../dom.js';
import { number } from '../format.js';
import { ACCENT, CHART, MUTED, figure, sideNames } from './figure.js';

const MOST_SHOWN = 25;
const N_ERRORS = 2; // standard errors to each side

/** One row per feature, the most important first. */
export function ranked(importance) {
    const rows = importance.features.map((name, k) => ({
        name,
        gain: importance.gain?.[k] ?? null,
        permutation: importance.permutation?.[k] ?? null,
        error: importance.permutation ? (importance.standard_error?.[k] ?? null) : null,
    }));
    const by = importance.permutation ? 'permutation' : 'gain';
    return rows.sort((a, b) => (b[by] ?? -Infinity) - (a[by] ?? -Infinity));
}

const asTable = (rows) =>
    numbers(
        ['feature', 'permutation', 'standard error', 'gain'],
        rows.map((row) => [row.name, tell(row.permutation), tell(row.error), tell(row.gain)]),
        `The numbers of ${rows.length === 1 ? 'the feature' : `all ${rows.length} features`}`,
    );
const asRows = (rows) => [
    ['feature', 'permutation', 'standard_error', 'gain'],
    ...rows.map((row) => [row.name, row.permutation, row.error, row.gain]),
];
const tell = (value) => (value == null ? '\u2013' : number(value));

export function permutationFigure(importance) {
    const rows = ranked(importance);
    const shown = rows.slice(0, MOST_SHOWN);
    return figure({
        title: 'When a feature is shuffled',
        note: `How much the squared error of predicted distances grows when a feature\u2019s values are shuffled among the items; lines are ${N_ERRORS} standard errors to each side. A line that reaches 0 means: perhaps not needed.`,
        label: 'Permutation importance of the features with standard errors',
        draw: (width) =>
            dots(
                shown.map((row) => ({ name: row.name, value: row.permutation, error: row.error })),
                width,
                'growth of the squared error',
            ),
        rows: () => asRows(rows),
        table: asTable(rows),
    });
}

export function gainFigure(importance) {
    const rows = ranked({ ...importance, permutation: null });
    const shown = rows.slice(0, MOST_SHOWN);
    const most = Math.max(...shown.map((row) => row.gain ?? 0), 1e-30);
    return figure({
        title: 'What the splits gained',
        note: 'The sum of the gains of a feature\u2019s splits, as a share of the largest. It comes from the training itself and has no error of its own.',
        label: 'Importance of the features by gain',
        draw: (width) =>
            bars(
                shown.map((row) => ({ name: row.name, value: (row.gain ?? 0) / most })),
                width,
                'gain, share of the largest',
            ),
        rows: () => [['feature', 'gain'], ...rows.map((row) => [row.name, row.gain])],
        table: importance.permutation ? null : asTable(rows),
    });
}

/** Pairs of features, the strongest first. */
export function pairsOf(interaction, names) {
    const rows = [];
    interaction.features.forEach((one, a) => {
        interaction.features.forEach((other, b) => {
            if (b <= a) return;
            const error = interaction.standard_error?.[a]?.[b] ?? null;
            const pair = [names[one], names[other]];
            rows.push({ name: pair.join(' \u00d7 '), names: pair, value: interaction.value[a][b], error });
        });
    });
    return rows.filter((row) => row.value != null).sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

export function interactionFigure(importance) {
    const rows = pairsOf(importance.interaction, importance.features);
    return figure({
        title: 'Two features together',
        note: 'How much more the error grows when both are shuffled than when one and the other are, added up. Above 0 they matter more together; below 0 less, since they share what they tell or since one alone spoils the prediction already.',
        label: 'Interactions of pairs of features with standard errors',
        draw: (width) => dots(rows.slice(0, 15), width, 'growth beyond the sum of both'),
        rows: () => [
            ['feature', 'other_feature', 'interaction', 'standard_error'],
            ...rows.map((row) => [...row.names, row.value, row.error]),
        ],
        table: numbers(
            ['features', 'interaction', 'standard error'],
            rows.map((row) => [row.name, number(row.value), tell(row.error)]),
        ),
    });
}

/** @returns {import('@observablehq/plot').PlotOptions} */
function frame(rows, width, label, domain = undefined) {
    const { labels, margin } = sideNames(
        rows.map((row) => row.name),
        width,
    );
    return {
        ...CHART,
        width,
        height: rows.length * 22 + 58,
        marginLeft: margin,
        marginRight: 14,
        marginTop: 8,
        marginBottom: 42,
        x: {
            domain,
            label,
            grid: true,
            nice: true,
            labelAnchor: 'center',
            labelArrow: 'none',
            ticks: Math.max(2, Math.floor(width / 120)),
            tickFormat: (value) => number(value), // 5e6 and not 5,000,000, which would not fit
        },
        y: { label: null, domain: rows.map((_, k) => String(k)), tickFormat: (k) => labels[Number(k)], tickSize: 0 },
    };
}

const placed = (rows) => rows.map((row, k) => ({ ...row, place: String(k) }));

function dots(rows, width, label) {
    const data = placed(rows.filter((row) => row.value != null));
    const withError = data.filter((row) => row.error != null);
    return Plot.plot({
        ...frame(data, width, label),
        marks: [
            Plot.ruleX([0], { stroke: 'currentColor', strokeOpacity: 0.6 }),
            Plot.link(withError, {
                x1: (row) => row.value - N_ERRORS * row.error,
                x2: (row) => row.value + N_ERRORS * row.error,
                y1: 'place',
                y2: 'place',
                stroke: ACCENT,
                strokeWidth: 2.5,
                strokeOpacity: 0.5,
            }),
            Plot.dot(data, {
                x: 'value',
                y: 'place',
                fill: ACCENT,
                r: 4.5,
                title: (row) => `${row.name}: ${number(row.value)}`,
            }),
        ],
    });
}

function bars(rows, width, label) {
    const data = placed(rows);
    return Plot.plot({
        ...frame(data, width, label, [0, 1]),
        marks: [
            Plot.barX(data, {
                x: 'value',
                y: 'place',
                fill: MUTED,
                insetTop: 3,
                insetBottom: 3,
                title: (row) => `${row.name}: ${number(row.value)}`,
            }),
            Plot.ruleX([0], { stroke: 'currentColor', strokeOpacity: 0.6 }),
        ],
    });
}
