// map/legend.js - what the colours of the map mean. An entry is a button: its items stand out, the others fade.
import { fill, h, swatch } from '../dom.js';
import { count, shorten } from '../format.js';

/** @param {import('../store.js').Store} store */
export function legend(store) {
    const element = h('div', { class: 'legend' });
    /** @param {import('../colours.js').Colouring} colouring */
    const show = (colouring) => {
        const entries = colouring.legend.map((entry) => entryButton(store, colouring, entry));
        fill(
            element,
            colouring.scale && scaleBar(colouring),
            colouring.kind === 'own' && h('span', { class: 'note' }, 'Each item has the colour that it names.'),
            entries.length > 0 &&
                h(
                    'ul',
                    { 'aria-label': `Colours of ${colouring.title}` },
                    ...entries.map((entry) => h('li', null, entry)),
                ),
        );
    };
    store.watch((now, changed) => {
        if (!changed('isolated')) return;
        for (const button of element.querySelectorAll('button')) {
            button.setAttribute('aria-pressed', String(Number(button.dataset.place) === now.isolated));
        }
    });
    return { element, show };
}

function entryButton(store, colouring, entry) {
    return h(
        'button',
        {
            type: 'button',
            'data-place': entry.place,
            'aria-pressed': String(store.now.isolated === entry.place),
            title: entry.label,
            onclick: () => store.set({ isolated: store.now.isolated === entry.place ? null : entry.place }),
        },
        swatch(entry.colour, entry.place === colouring.missing ? 'ring' : ''),
        h('span', null, shorten(entry.label, 26)),
        h('span', { class: 'figure' }, count(entry.n)),
    );
}

function scaleBar(colouring) {
    const bar = h('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.setProperty(
        'background',
        `linear-gradient(to right, ${colouring.palette
            .slice(0, -1)
            .filter((_, k) => k % 3 === 0)
            .join(', ')})`,
    );
    const { from, middle, to } = colouring.scale;
    return h('div', { class: 'scale' }, bar, h('span', null, from), h('span', null, middle), h('span', null, to));
}
