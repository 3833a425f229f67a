// map/legend.js - what the colours and shapes of the map mean. An entry is a button: its items stand out, the others fade.
import { fill, h } from '../dom.js';
import { count, shorten } from '../format.js';
import { trace } from '../shapes.js';
import { SvgPen } from '../svg.js';

const MANY = 16; // entries, from which on a field finds one

/** @param {import('../store.js').Store} store */
export function legend(store) {
    const element = h('div', { class: 'legend' });
    /** @param {import('../colours.js').Colouring} colouring */
    const show = (colouring) => {
        const entries = colouring.legend.map((entry) => entryButton(store, colouring, entry));
        const isLong = entries.length >= MANY;
        const list = h(
            'ul',
            { 'aria-label': `Marks of ${colouring.title}` },
            ...entries.map((entry) => h('li', null, entry)),
        );
        fill(
            element,
            colouring.scale && scaleBar(colouring),
            colouring.kind === 'own' && h('span', { class: 'note' }, 'Each item has the colour that it names.'),
            isLong && filterField(colouring, list),
            colouring.cap && h('p', { class: 'note' }, colouring.cap),
            entries.length > 0 &&
                (isLong
                    ? h('div', { class: 'long', tabindex: '0', role: 'region', 'aria-label': 'Legend' }, list)
                    : list),
        );
    };
    store.watch((now, changed) => {
        if (!changed('isolated')) return;
        for (const button of element.querySelectorAll('button')) {
            button.setAttribute('aria-pressed', String(Number(button.dataset.index) === now.isolated));
        }
    });
    return { element, show };
}

/** Only the entries whose name contains what was typed; how many is said. */
function filterField(colouring, list) {
    const said = h('span', { class: 'note', role: 'status' }, `${count(colouring.legend.length)} marks`);
    const field = h('input', {
        type: 'search',
        placeholder: `Find in ${shorten(colouring.title, 20)}`,
        'aria-label': `Find in the legend of ${colouring.title}`,
        oninput: () => {
            const wanted = field.value.trim().toLowerCase();
            let n = 0;
            colouring.legend.forEach((entry, k) => {
                const isFound = entry.label.toLowerCase().includes(wanted);
                list.children[k].hidden = !isFound;
                if (isFound) n++;
            });
            const all = `${count(colouring.legend.length)} marks`;
            said.textContent = wanted === '' ? all : `${count(n)} of ${all}`;
        },
    });
    return h('div', { class: 'legend-filter' }, field, said);
}

/** A small picture of the mark that the map draws. */
export function legendMark(entry, isRing) {
    const pen = new SvgPen();
    trace(pen, entry.shape, 8, 8, isRing ? 4.5 : 5.5);
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', pen.d);
    path.setAttribute('fill', isRing ? 'none' : entry.colour);
    path.setAttribute('stroke', isRing ? entry.colour : 'currentColor');
    path.setAttribute('stroke-opacity', isRing ? '1' : '0.5');
    path.setAttribute('stroke-width', isRing ? '2' : '0.8');
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [name, value] of Object.entries({ class: 'mark', viewBox: '0 0 16 16', 'aria-hidden': 'true' }))
        svg.setAttribute(name, value);
    svg.append(path);
    return svg;
}

function entryButton(store, colouring, entry) {
    return h(
        'button',
        {
            type: 'button',
            'data-index': entry.index,
            'aria-pressed': String(store.now.isolated === entry.index),
            title: entry.label,
            onclick: () => store.set({ isolated: store.now.isolated === entry.index ? null : entry.index }),
        },
        legendMark(entry, entry.index === colouring.missing),
        h('span', null, shorten(entry.label, 26)),
        h('span', { class: 'figure' }, count(entry.n)),
    );
}

function scaleBar(colouring) {
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty('background', `linear-gradient(to right, ${scaleColours(colouring).join(', ')})`);
    const { from, middle, to } = colouring.scale;
    return h('div', { class: 'scale' }, bar, h('span', null, from), h('span', null, middle), h('span', null, to));
}

/** From the smallest value to the largest. */
export const scaleColours = (colouring) => colouring.palette.slice(0, -1).filter((_, k) => k % 3 === 0);
