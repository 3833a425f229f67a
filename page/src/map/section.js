// map/section.js - the map with its controls, its legend and the panel beside it.
import { h } from '../dom.js';
import { number, shorten } from '../format.js';
import { colourings, makeColouring } from '../colours.js';
import { single } from '../csv.js';
import { downloadMenu, framed } from '../download.js';
import { layoutSentence } from '../sentences.js';
import { MapView } from './view.js';
import { listenToKeys } from './keyboard.js';
import { FEW_IDS, IDS, NOTHING, labellings } from './labels.js';
import { legend, scaleColours } from './legend.js';
import { panel } from './panel.js';
import { searchBox } from './search.js';
import { paintItem } from './sprites.js';

/** @param {import('../data.js').Report} report @param {import('../store.js').Store} store */
export function mapSection(report, store) {
    const view = new MapView(report, store);
    view.element.setAttribute('role', 'application');
    view.element.setAttribute('aria-roledescription', 'map');
    view.element.setAttribute(
        'aria-label',
        `Map of ${report.n} items. Arrow keys go from item to item, Enter selects one.`,
    );
    listenToKeys(view);

    const menu = h('select', { id: 'colour-by', onchange: () => store.set({ colouring: menu.value, isolated: null }) });
    for (const [key, label] of colourings(report)) menu.append(h('option', { value: key }, label));
    menu.value = store.now.colouring;
    const labels = h('select', { id: 'label-by', onchange: () => store.set({ labelling: labels.value }) });
    for (const [key, label] of labellings(report)) labels.append(h('option', { value: key }, label));
    labels.value = store.now.labelling;
    const search = searchBox(report, (item) => {
        store.set({ first: item, second: null, pointed: null });
        view.bringIntoView(item);
    });
    const key = legend(store);
    const drawn = layoutSentence(view.layout);
    const tip = h('div', { class: 'tip', 'aria-hidden': 'true', hidden: true });
    const spoken = h('div', { class: 'unseen', role: 'status' });
    view.element.append(tip);

    const recolour = () => {
        const colouring = makeColouring(report, store.now.colouring, store.now.theme);
        view.colour(colouring);
        key.show(colouring);
    };
    store.watch((now, changed) => {
        if (changed('colouring') || changed('theme')) recolour();
        if (changed('isolated')) view.redraw();
        if (changed('isPrinting'))
            view.drawAll(); // at once: a printer does not wait for a frame
        else view.drawMarks();
        if (changed('pointed')) tell(report, view, now, tip, spoken);
    });
    recolour();

    const button = (label, text, act) =>
        h('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text);
    return h(
        'div',
        { class: 'map' },
        h(
            'div',
            { class: 'controls' },
            search,
            h('span', { class: 'choice' }, h('label', { for: 'colour-by' }, 'Colour by'), menu),
            h('span', { class: 'choice' }, h('label', { for: 'label-by' }, 'Label by'), labels),
            h(
                'div',
                { class: 'zoom-buttons', role: 'group', 'aria-label': 'Zoom' },
                button('Zoom in', '+', () => view.zoomBy(1.5)),
                button('Zoom out', '\u2212', () => view.zoomBy(1 / 1.5)),
                button('Show all items', 'All', () => view.showAll()),
            ),
            downloadMenu({ title: 'Map', svg: () => savedMap(view), rows: () => mapRows(report, store) }),
        ),
        h(
            'div',
            { class: 'map-body' },
            h('div', { class: 'map-frame' }, view.element, drawn && h('p', { class: 'note' }, drawn), key.element),
            panel(report, store),
        ),
        spoken,
    );
}

/** The map as it is seen, with what its marks mean. */
function savedMap(view) {
    const { width, height } = view.size;
    const { colouring } = view;
    if (width === 0 || !colouring) return null;
    const { scale } = colouring;
    const look = { colouring, radius: 5, theme: view.store.now.theme };
    const keys = [
        { text: layoutSentence(view.layout) },
        { text: colouring.title },
        scale && { text: `${scale.from} to ${scale.to}`, colours: scaleColours(colouring) },
        ...colouring.legend.map((entry) => ({
            text: `${shorten(entry.label, 26)} (${entry.n})`,
            draw: (pen, left, middle) => paintItem(pen, look, entry.index, left, middle),
        })),
    ].filter((part) => part && part.text);
    return framed({ title: view.report.raw.title, width, height, keys, draw: (pen) => view.paintOn(pen) });
}

/** Where each item lies, its cluster, and the columns that colour and label it. */
function mapRows(report, store) {
    const { colouring, labelling } = store.now;
    const chosen = [...new Set([colouring, labelling])]
        .filter((key) => ![FEW_IDS, IDS, NOTHING].includes(key))
        .map((key) => report.columns[Number(key.replace('column ', ''))])
        .filter(Boolean);
    const { x, y } = report.map;
    const value = (column, item) => {
        const found = report.value(column, item);
        return typeof found === 'number' ? single(found) : found;
    };
    const cluster = (item) => (report.clusters.of[item] < report.clusters.k ? report.clusters.of[item] + 1 : null);
    return [
        ['item', 'x', 'y', ...(report.clusters ? ['cluster'] : []), ...chosen.map((column) => column.name)],
        ...report.ids.map((id, item) => [
            id,
            single(x[item]),
            single(y[item]),
            ...(report.clusters ? [cluster(item)] : []),
            ...chosen.map((column) => value(column, item)),
        ]),
    ];
}

/** A few words on the item that is pointed at, beside it and for screen readers. */
function tell(report, view, now, tip, spoken) {
    tip.hidden = now.pointed === null;
    if (now.pointed === null) return;
    const item = now.pointed;
    const lines = [];
    const { title } = view.colouring;
    if (title !== '') lines.push(`${title}: ${view.colouring.text(item)}`);
    if (report.clusters && title !== 'cluster') lines.push(`cluster ${report.clusters.of[item] + 1}`);
    const distance = now.first === null ? null : report.distance(now.first, item);
    if (distance !== null) lines.push(`${number(distance)} from ${report.ids[now.first]}`);
    tip.replaceChildren(h('strong', null, report.ids[item]), ...lines.map((line) => h('span', null, line)));
    spoken.textContent = [report.ids[item], ...lines].join(', ');
    const [left, top] = view.screen(item);
    const { width, height } = view.size;
    tip.style.left = `${Math.min(Math.max(left, 0), width)}px`;
    tip.style.top = `${Math.min(Math.max(top, 0), height)}px`;
    tip.classList.toggle('to-left', left > width / 2);
    tip.classList.toggle('above', top > height / 2);
}
