// map/search.js - a combobox that finds items by their ids.
import { fill, h } from '../dom.js';
import { count } from '../format.js';

const MOST_SHOWN = 10;

/** Items whose id contains the words: those that are it first, then those that start with it. */
export function findItems(lowered, words, most = MOST_SHOWN) {
    const wanted = words.trim().toLowerCase();
    const ranks = [[], [], []];
    let n = 0;
    if (wanted === '') return { items: [], n };
    for (let item = 0; item < lowered.length; item++) {
        const place = lowered[item].indexOf(wanted);
        if (place < 0) continue;
        n++;
        const rank = lowered[item].length === wanted.length ? 0 : place === 0 ? 1 : 2;
        if (ranks[rank].length < most) ranks[rank].push(item);
    }
    return { items: ranks.flat().slice(0, most), n };
}

/** @param {(item: number) => void} choose */
export function searchBox(report, choose) {
    const lowered = report.ids.map((id) => id.toLowerCase());
    let found = [];
    let active = -1;
    const list = h('ul', { id: 'search-list', role: 'listbox', 'aria-label': 'Items found', hidden: true });
    const status = h('span', { class: 'unseen', role: 'status' });
    const input = h('input', {
        id: 'search',
        type: 'search',
        role: 'combobox',
        placeholder: 'Find an item by its id',
        autocomplete: 'off',
        spellcheck: 'false',
        'aria-label': 'Find an item by its id',
        'aria-autocomplete': 'list',
        'aria-expanded': 'false',
        'aria-controls': 'search-list',
    });

    const close = () => show([]);
    const take = (item) => {
        input.value = report.ids[item];
        close();
        choose(item);
    };
    const mark = (place) => {
        active = place;
        [...list.children].forEach((option, k) => option.setAttribute('aria-selected', String(k === place)));
        if (place >= 0) {
            input.setAttribute('aria-activedescendant', `found-${place}`);
            list.children[place].scrollIntoView({ block: 'nearest' });
        } else input.removeAttribute('aria-activedescendant');
    };
    const show = (items, note = '') => {
        found = items;
        list.hidden = items.length === 0 && note === '';
        input.setAttribute('aria-expanded', String(!list.hidden));
        fill(
            list,
            ...items.map((item, k) =>
                h(
                    'li',
                    {
                        id: `found-${k}`,
                        role: 'option',
                        'aria-selected': 'false',
                        onmousedown: (event) => event.preventDefault(),
                        onclick: () => take(item),
                    },
                    report.ids[item],
                ),
            ),
            note !== '' && h('li', { class: 'more', role: 'presentation' }, note),
        );
        mark(-1);
    };
    input.addEventListener('input', () => {
        const { items, n } = findItems(lowered, input.value);
        const isEmpty = input.value.trim() === '';
        const more = n > items.length ? `and ${count(n - items.length)} more` : '';
        show(items, isEmpty || n > 0 ? more : 'No id contains this.');
        status.textContent = isEmpty ? '' : n === 0 ? 'no item found' : `${count(n)} found`;
    });
    input.addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' && found.length > 0) mark((active + 1) % found.length);
        else if (event.key === 'ArrowUp' && found.length > 0) mark((active + found.length - 1) % found.length);
        else if (event.key === 'Enter' && found.length > 0) take(found[Math.max(active, 0)]);
        else if (event.key === 'Escape') {
            input.value = '';
            close();
        } else return;
        event.preventDefault();
    });
    input.addEventListener('blur', close);
    return h('div', { class: 'search' }, input, list, status);
}
