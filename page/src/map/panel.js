// map/panel.js - what is known of the selected item, or of the selected pair.
import { fill, h, numbers, swatch } from '../dom.js';
import { counted, number, shellQuote, shorten } from '../format.js';
import { figure } from '../charts/figure.js';
import { steps, waterfall } from '../charts/waterfall.js';
import { single } from '../csv.js';
import { isOwnColour } from '../colours.js';

const MOST_VALUES = 8;

/** @param {import('../data.js').Report} report @param {import('../store.js').Store} store */
export function panel(report, store) {
    const element = h('aside', { class: 'panel', 'aria-label': 'The selected items', 'aria-live': 'polite' });
    const draw = () => {
        const { first, second } = store.now;
        if (first === null) fill(element, hint(report));
        else if (second === null) fill(element, ...oneItem(report, store, first));
        else fill(element, ...twoItems(report, store, first, second));
    };
    store.watch((_, changed) => (changed('first') || changed('second')) && draw());
    draw();
    return element;
}

function hint(report) {
    const pair = report.accounts ? ' A second click on another item explains their distance.' : '';
    return h(
        'div',
        { class: 'hint' },
        h('p', null, `Click an item to see its values and its nearest neighbours.${pair}`),
        h(
            'p',
            { class: 'screen-only' },
            'Drag to move, turn the wheel or pinch to zoom. With the keyboard: arrows go from item to item, ',
            h('kbd', null, 'Enter'),
            ' selects, ',
            h('kbd', null, '+'),
            ' and ',
            h('kbd', null, '\u2212'),
            ' zoom, ',
            h('kbd', null, '0'),
            ' shows all, ',
            h('kbd', null, 'Esc'),
            ' clears. Labels stand where they fit: from near there are more.',
        ),
    );
}

function heading(text, store) {
    return h(
        'div',
        { class: 'panel-head' },
        h('h3', null, text),
        h('button', { type: 'button', class: 'quiet', onclick: () => store.clear() }, 'Clear'),
    );
}

function oneItem(report, store, item) {
    const near = report.neighbors(item);
    return [
        heading(report.ids[item], store),
        facts(report, item),
        near.length > 0 && h('h4', null, `${counted(near.length, 'nearest item')}`),
        near.length > 0 && neighborList(report, store, item, near),
        near.length === 0 && h('p', { class: 'note' }, 'The report holds no neighbours of this item.'),
    ];
}

/** Cluster and columns: the first few, the others folded away. */
function facts(report, item) {
    const rows = [];
    if (report.clusters && report.clusters.of[item] < report.clusters.k) {
        const fit = report.clusters.silhouettes?.[item];
        const told = fit == null || Number.isNaN(fit) ? '' : ` (silhouette ${number(fit, 2)})`;
        rows.push(['cluster', `${report.clusters.of[item] + 1}${told}`]);
    }
    for (const column of report.columns) rows.push([column.name, valueOf(report, column, item)]);
    const list = (some) =>
        h('dl', null, ...some.flatMap(([name, value]) => [h('dt', null, name), h('dd', null, value)]));
    const rest = rows.slice(MOST_VALUES);
    return h(
        'div',
        { class: 'facts' },
        list(rows.slice(0, MOST_VALUES)),
        rest.length > 0 && h('details', null, h('summary', null, `${rest.length} more`), list(rest)),
    );
}

function valueOf(report, column, item) {
    const value = report.value(column, item);
    if (column.kind === 'number') return Number.isNaN(value) ? h('i', null, 'missing') : number(value, 5);
    if (value === null) return h('i', null, 'missing');
    return isOwnColour(column) ? h('span', null, swatch(value), ` ${value}`) : value;
}

/** Each neighbour is a button that compares; the bar is its distance beside the farthest of the list. */
function neighborList(report, store, item, near) {
    const farthest = Math.max(...near.map((found) => found.distance), 1e-30);
    return h(
        'ol',
        { class: 'neighbors' },
        ...near.map((found) => {
            const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
            bar.style.setProperty('--share', String(Math.max(found.distance, 0) / farthest));
            return h(
                'li',
                null,
                h(
                    'button',
                    {
                        type: 'button',
                        onclick: () => store.set({ second: found.item, pointed: null }),
                        onmouseenter: () => store.set({ pointed: found.item }),
                        onmouseleave: () => store.set({ pointed: null }),
                    },
                    h('span', { class: 'name' }, report.ids[found.item]),
                    bar,
                    h('span', { class: 'figure' }, number(found.distance)),
                ),
            );
        }),
    );
}

function twoItems(report, store, one, other) {
    const go = (item) =>
        h(
            'button',
            { type: 'button', class: 'quiet', onclick: () => store.set({ first: item, second: null }) },
            `Look at ${report.ids[item]}`,
        );
    const told = report.explanation(one, other);
    return [
        heading(
            h('span', null, report.ids[one], ' ', h('span', { class: 'and' }, 'and'), ' ', report.ids[other]),
            store,
        ),
        ...(told ? account(report, told, one, other) : command(report, one, other)),
        h('p', { class: 'buttons' }, go(one), go(other)),
    ];
}

function account(report, told, one, other) {
    const byName = new Map(report.columns.map((column) => [column.name, column]));
    const text = (feature, item) => {
        const column = byName.get(feature);
        return column ? valueOf(report, column, item) : '';
    };
    const rows = steps(told);
    const table = numbers(
        ['', shorten(report.ids[one], 24), shorten(report.ids[other], 24), 'share'],
        rows.map((row) => [row.name, text(row.name, one), text(row.name, other), number(row.to - row.from)]),
        'Values and shares',
    );
    const from = told.distance < told.baseline ? 'nearer than' : 'farther apart than';
    return [
        figure({
            title: `Predicted distance ${number(told.distance)}`,
            note: `They are ${from} two average items (${number(told.baseline)}). Features that bring them together are blue, features that part them orange.`,
            label: `A waterfall of the features' shares in the distance of ${report.ids[one]} and ${report.ids[other]}`,
            draw: (width) => waterfall(told, width),
            rows: () => [
                ['step', 'from', 'to', 'contribution'],
                ...rows.map((row) => [row.name, single(row.from), single(row.to), single(Math.fround(row.to - row.from))]), // prettier-ignore
            ],
            table,
        }),
    ];
}

/** Pairs are too many to store all of them: the command that tells of this one. */
function command(report, one, other) {
    const why = report.reason('explanations');
    const distance = report.distance(one, other);
    const known = distance === null ? null : h('p', null, `Their predicted distance is ${number(distance)}.`);
    if (!report.accounts)
        return [known, h('p', { class: 'note' }, why ?? 'This model has no account of its distances by features.')];
    const text = `${report.raw.explain_command} ${shellQuote(report.ids[one])} ${shellQuote(report.ids[other])}`;
    const code = h('code', { tabindex: '0' }, text);
    const button = h('button', { type: 'button', onclick: () => copy(text, code, button) }, 'Copy');
    return [
        known,
        h(
            'p',
            null,
            `The page holds the accounts of each item with its five nearest, and of all pairs of ${counted(report.accounts.nSampled, 'sampled item')}, but not of this pair. This command tells it:`,
        ),
        h('div', { class: 'command' }, code, button),
    ];
}

/** Where the clipboard may not be written, the text is marked so that the reader's own keys copy it. */
async function copy(text, code, button) {
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
    } catch {
        getSelection().selectAllChildren(code);
        button.textContent = document.execCommand('copy') ? 'Copied' : 'Now press Ctrl+C';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
}
