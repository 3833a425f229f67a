// sections.js - the page in reading order. Each section opens with a line that says what it shows; one that the model cannot
// have says why.
import { h, numbers } from './dom.js';
import { count, counted, number, score as asScore } from './format.js';
import { clusterSentence, growthVerdict, isTwoValued, mapSentence, responseSentence, scoreName, scoreSentence, scoredSentence } from './sentences.js'; // prettier-ignore
import { mapSection } from './map/section.js';
import { densityFigure, errorFigure, errorSentence } from './charts/fit.js';
import { twoGroups, twoGroupsFigure, twoGroupsSentence } from './charts/two-groups.js';
import { prFigure, rocFigure } from './charts/curves.js';
import { growthFigure } from './charts/growth.js';
import { gainFigure, interactionFigure, permutationFigure } from './charts/importance.js';
import { clusterTable, silhouetteFigure, triedFigure } from './charts/clusters.js';
import { heatFigure } from './charts/heat.js';
import { accuracySentence, confusionFigure, mistakesSentence } from './charts/confusion.js';

/**
 * @typedef {import('./data.js').Report} Report
 * @typedef {import('./store.js').Store} Store
 * @typedef {{id: string, title: string, short: string, has: (report: Report) => any, why: string,
 *            body: (report: Report, store: Store) => any[]}} Section
 */

const grid = (...figures) => h('div', { class: 'figures' }, ...figures);
const lead = (text) => text && h('p', { class: 'lead' }, text);

/** @type {Section[]} */
export const SECTIONS = [
    {
        id: 'scores',
        title: 'How well it was learned',
        short: 'Scores',
        has: (report) => report.raw.scores,
        why: 'Nothing was scored: there are no out-of-bag pairs, and no target was given with the report.',
        body: scoresBody,
    },
    {
        id: 'map',
        title: 'Map of the items',
        short: 'Map',
        has: (report) => report.map,
        why: 'There is no map of these items.',
        body: (report, store) => [
            lead(
                `Items that the model holds for similar lie close together, as far as a flat picture can show it. ${mapSentence(report.map, report.n)}`,
            ),
            mapSection(report, store),
        ],
    },
    {
        id: 'clusters',
        title: 'Clusters',
        short: 'Clusters',
        has: (report) => report.clusters,
        why: 'The items were not grouped.',
        body: (report, store) => [
            lead(clusterSentence(report.clusters)),
            clusterTable(report, store),
            grid(
                report.clusters.silhouettes?.some((value) => !Number.isNaN(value)) && silhouetteFigure(report, store),
                report.clusters.tried?.length > 1 && triedFigure(report.clusters),
            ),
        ],
    },
    {
        id: 'heat',
        title: 'The learned distance',
        short: 'Heat map',
        has: (report) => report.heat?.items.length > 1,
        why: 'There is no picture of all distances.',
        body: (report, store) => [heatFigure(report, store)],
    },
    {
        id: 'fit',
        title: 'Predicted and true distances',
        short: 'Fit',
        has: (report) => report.fit,
        why: 'There are no true distances to compare with.',
        body: fitBody,
    },
    {
        id: 'curves',
        title: 'Telling near pairs from far ones',
        short: 'Curves',
        has: (report) => report.raw.curves,
        why: 'ROC and precision-recall curves need pairs that are either near or far: links of a network, or labels.',
        body: (report) => [
            lead(
                'Pairs are called near from the smallest predicted distance on; the curves follow how many are found and how many calls are wrong.',
            ),
            grid(rocFigure(report.raw.curves), prFigure(report.raw.curves)),
        ],
    },
    {
        id: 'classification',
        title: 'Telling labels apart',
        short: 'Labels',
        has: (report) => report.raw.classification?.labels?.length > 0,
        why: 'Accuracy and a confusion matrix are for labels; they were not predicted here.',
        body: (report, store) => [
            lead(
                `${accuracySentence(report.raw.classification)} ${mistakesSentence(report.raw.classification)}${methodNote(report.raw.classification)}`,
            ),
            confusionFigure(report.raw.classification, store),
        ],
    },
    {
        id: 'growth',
        title: 'Would more trees help?',
        short: 'Trees',
        has: (report) => grown(report).length > 0,
        why: 'The scores of fewer trees are not known.',
        body: (report) => [
            lead(
                `${growthVerdict(report.raw.growth)} Below are the scores of the first trees alone, and of more and more of them, over the same pairs of ${counted(report.raw.growth.n_items, 'item')}.`,
            ),
            grid(...grown(report).map((metric) => growthFigure(report.raw.growth, metric))),
        ],
    },
    {
        id: 'importance',
        title: 'Which features matter',
        short: 'Features',
        has: (report) => report.raw.importance?.features?.length > 0,
        why: 'This model does not tell what its features contribute.',
        body: importanceBody,
    },
    { id: 'details', title: 'How it was made', short: 'Details', has: () => true, why: '', body: detailsBody },
];

/**
 * What there is, in order, and then what there is not. Whether it was scored is told in its place either way.
 * @param {Report} report
 * @param {Store} store
 * @returns {{id: string, short: string, element: Element}[]}
 */
export function buildSections(report, store) {
    const has = SECTIONS.filter((section) => section.has(report) || section.id === 'scores');
    const hasNot = SECTIONS.filter((section) => !has.includes(section));
    const built = has.map((section) => {
        const body = section.has(report)
            ? section.body(report, store)
            : [h('p', { class: 'absent' }, reasonOf(section, report))];
        return { id: section.id, short: section.short, element: sectionElement(section.id, section.title, body) };
    });
    if (hasNot.length === 0) return built;
    const list = hasNot.map((section) =>
        h('div', null, h('dt', null, section.title), h('dd', null, reasonOf(section, report))),
    );
    const body = [h('dl', { class: 'details' }, ...list)];
    built.splice(-1, 0, { id: 'absent', short: '', element: sectionElement('absent', 'Not in this report', body) });
    return built;
}

const reasonOf = (section, report) => report.reason(section.id) ?? section.why;

function sectionElement(id, title, body) {
    return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title` }, title), ...body);
}

/** Scores that are known for at least two numbers of trees. */
const grown = (report) =>
    (report.raw.growth?.metrics ?? []).filter((metric) => metric.values.filter((value) => value != null).length > 1);

const methodNote = ({ how }) => (how ? ` Labels are predicted by ${how}.` : '');

const scoredItems = (growth) => (growth.n_items ? `, over ${counted(growth.n_items, 'item')}` : '');

function scoresBody(report) {
    const { scores, curves, model, response } = report.raw;
    const context = { target: model.target, shareOfLinks: curves?.share_of_links ?? null };
    return [
        lead(scoredSentence(scores)),
        h(
            'dl',
            { class: 'scores' },
            ...inOrder(scores.list, model.target).map((score) =>
                h(
                    'div',
                    null,
                    h('dt', null, scoreName(score.name)),
                    h(
                        'dd',
                        { class: 'value' },
                        score.value == null
                            ? '\u2013'
                            : score.name === 'rmse'
                              ? number(score.value)
                              : asScore(score.value),
                    ),
                    h('dd', null, scoreSentence(score, scores, context)),
                ),
            ),
            response &&
                h(
                    'div',
                    null,
                    h('dt', null, 'R\u00b2 of the response'),
                    h('dd', { class: 'value' }, response.r_squared == null ? '\u2013' : asScore(response.r_squared)),
                    h('dd', null, responseSentence(response)),
                ),
        ),
        scores.list.length === 0 && h('p', { class: 'absent' }, 'No score could be computed.'),
    ];
}

/** @param {Report} report @param {Store} store */
function fitBody(report, store) {
    const { fit } = report;
    const { target } = report.raw.model;
    const groups = isTwoValued(target) ? twoGroups(fit) : null;
    if (groups) return [lead(twoGroupsSentence(fit.by_distance, target)), grid(twoGroupsFigure(fit, groups, target))];
    const bins = fit.by_distance ?? [];
    return [lead(errorSentence(bins)), grid(densityFigure(fit, store), bins.length > 1 && errorFigure(bins))];
}

/** The scores that say most come first. */
function inOrder(list, target) {
    const isCurve = (score) => score.name.startsWith('auc');
    return isTwoValued(target) ? [...list.filter(isCurve), ...list.filter((score) => !isCurve(score))] : list;
}

function importanceBody(report) {
    const { importance } = report.raw;
    return [
        lead(
            importance.permutation
                ? `Measured on items that a tree has not learned from${scoredItems(importance)}.`
                : 'Measured while the forest was grown.',
        ),
        grid(
            importance.permutation && permutationFigure(importance),
            importance.gain && gainFigure(importance),
            importance.interaction && importance.interaction.features.length > 1 && interactionFigure(importance),
        ),
    ];
}

function detailsBody(report) {
    const { raw } = report;
    const rows = [
        ['smerf', raw.smerf],
        ['model file', raw.files?.model],
        ['items file', raw.files?.items],
        ['items shown', `${count(report.n)}${raw.items.are_training ? ', those that it learned from' : ''}`],
        ['target given', raw.files?.target],
        ...(raw.model.facts ?? []),
    ].filter(([, value]) => value != null && value !== '');
    const notes = raw.notes ?? [];
    return [
        lead('Files, options, versions and seed.'),
        notes.length > 0 && h('ul', { class: 'notes' }, ...notes.map((note) => h('li', null, note))),
        h(
            'dl',
            { class: 'details' },
            ...rows.map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
        ),
        columnsTable(report),
    ];
}

function columnsTable(report) {
    if (report.columns.length === 0) return null;
    const rows = report.columns.map((column) => {
        const isNumber = column.kind === 'number';
        const nMissing = isNumber
            ? column.values.reduce((n, value) => n + (Number.isNaN(value) ? 1 : 0), 0)
            : column.codes.reduce((n, code) => n + (code < column.levels.length ? 0 : 1), 0);
        return [
            column.name,
            column.role,
            isNumber ? 'number' : `category, ${counted(column.levels.length, 'level')}`,
            count(nMissing),
        ];
    });
    return numbers(['column', 'role', 'kind', 'missing'], rows, `The ${counted(rows.length, 'column')} of the items`);
}
