// map/section.js - the map with its controls, its legend and the panel beside it.
import { h } from '../dom.js';
import { number } from '../format.js';
import { colourings, makeColouring } from '../colours.js';
import { MapView } from './view.js';
import { listenToKeys } from './keyboard.js';
import { legend } from './legend.js';
import { panel } from './panel.js';
import { searchBox } from './search.js';

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
    const search = searchBox(report, (item) => {
        store.set({ first: item, second: null, pointed: null });
        view.bringIntoView(item);
    });
    const key = legend(store);
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
            h('label', { for: 'colour-by' }, 'Colour by'),
            menu,
            h(
                'div',
                { class: 'zoom-buttons', role: 'group', 'aria-label': 'Zoom' },
                button('Zoom in', '+', () => view.zoomBy(1.5)),
                button('Zoom out', '\u2212', () => view.zoomBy(1 / 1.5)),
                button('Show all items', 'All', () => view.showAll()),
            ),
        ),
        h(
            'div',
            { class: 'map-body' },
            h('div', { class: 'map-frame' }, view.element, key.element),
            panel(report, store),
        ),
        spoken,
    );
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
