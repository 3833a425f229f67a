// dom.js - elements from code. Text always enters as text, so no name of an item or column can become markup.

/**
 * An element. Properties starting with "on" are listeners, the others attributes; null, undefined and false leave one out.
 * @param {string} tag
 * @param {Record<string, any> | null} [properties]
 * @param {...any} children elements or texts; null is left out
 * @returns {any}
 */
export function h(tag, properties, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties ?? {})) {
        if (value == null || value === false) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    append(element, children);
    return element;
}

/** Puts other children in place of those that are there. */
export function fill(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

function append(element, children) {
    for (const child of children.flat()) {
        if (child != null && child !== false) element.append(child);
    }
}

/** A small disc of a colour. The colour is set as a property, which the page's policy allows. */
export function swatch(colour) {
    const element = h('span', { class: 'swatch', 'aria-hidden': 'true' });
    element.style.setProperty('--colour', colour);
    return element;
}

/**
 * The numbers behind a picture, folded away.
 * @param {string[]} head
 * @param {any[][]} rows texts or elements; the first of a row is its name
 */
export function numbers(head, rows, title = 'The numbers', isOpen = false) {
    const table = h(
        'table',
        null,
        h('thead', null, h('tr', null, ...head.map((name) => h('th', { scope: 'col' }, name)))),
        h(
            'tbody',
            null,
            ...rows.map((row) =>
                h(
                    'tr',
                    null,
                    ...row.map((cell, k) => h(k === 0 ? 'th' : 'td', k === 0 ? { scope: 'row' } : null, cell)),
                ),
            ),
        ),
    );
    const scroller = h('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': title }, table);
    return h('details', { class: 'numbers', open: isOpen }, h('summary', null, title), scroller);
}
