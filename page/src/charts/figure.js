// charts/figure.js - a picture with its title, drawn for the width that it has and again when that or the theme changes.
import { fill, h } from '../dom.js';
import { chartMarkup, downloadMenu, framed, themeColour } from '../download.js';
import { shorten } from '../format.js';

/** All pictures of the page, to be drawn anew in another theme. */
const pictures = new Set();

/**
 * What a colour of a picture means: a line's colour, colours from little to much, or a mark that draws itself.
 * @typedef {{text: string, colour?: string, colours?: string[], draw?: (pen: any, left: number, middle: number) => void}} Key
 */

/**
 * @param {object} parts
 * @param {string} parts.title
 * @param {any} [parts.note] a sentence below the title
 * @param {string} parts.label what a screen reader says of the picture
 * @param {(width: number) => Element} parts.draw
 * @param {() => any[][]} parts.rows the numbers in full, with a header
 * @param {() => Key[]} [parts.keys] what colours mean, for a picture that leaves the page
 * @param {Element} [parts.table] the numbers, to be read on the page
 */
export function figure({ title, note, label, draw, rows, keys = () => [], table }) {
    const box = h('div', { class: 'picture' });
    const picture = { box, draw, label, width: 0 };
    pictures.add(picture);
    new ResizeObserver(() => {
        const width = Math.floor(box.clientWidth);
        if (width > 0 && width !== picture.width) drawPicture(picture, width);
    }).observe(box);
    const svg = () => savedChart(title, box.querySelector('svg'), keys());
    return h('figure', null, caption(title, note, downloadMenu({ title, svg, rows })), box, table);
}

/** The title of a picture, the menu to save it, and a sentence. */
export function caption(title, note, menu) {
    return h(
        'figcaption',
        null,
        h('div', { class: 'figure-head' }, h('h3', null, title), menu),
        note && h('p', null, note),
    );
}

function savedChart(title, svg, keys) {
    if (!svg) return null;
    const [width, height] = ['width', 'height'].map((name) => Number(svg.getAttribute(name)));
    const resolved = keys.map((key) => ({ ...key, colour: key.colour?.replace(/var\((.*)\)/, (_, name) => themeColour(name)) })); // prettier-ignore
    return framed({ title, width, height, keys: resolved, draw: (pen) => pen.drawSvg(chartMarkup(svg), 0, 0) });
}

export function redrawPictures() {
    for (const picture of pictures) {
        if (!picture.box.isConnected) pictures.delete(picture);
        else if (picture.width > 0) drawPicture(picture, picture.width);
    }
}

function drawPicture(picture, width) {
    picture.width = width;
    const drawn = picture.draw(width);
    // A picture is one thing to a screen reader; the names that Plot gives to its parts would only be in the way.
    for (const part of drawn.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    drawn.setAttribute('role', 'img');
    drawn.setAttribute('aria-label', picture.label);
    fill(picture.box, drawn);
}

/** What all charts share: the page's own letters and colours. */
export const CHART = {
    style: {
        background: 'transparent',
        color: 'var(--ink)',
        fontFamily: 'var(--sans)',
        fontSize: '12px',
        overflow: 'visible',
    },
};

export const ACCENT = 'var(--accent)';
export const WARM = 'var(--warm)';
export const MUTED = 'var(--muted)';

const LETTER = 6.7; // pixels, of small print on average

/** Beside an axis of numbers up to a size: their digits, and its label. */
export const axisMargin = (most) => Math.max(52, 34 + LETTER * Math.round(most).toLocaleString('en-US').length);

/** Names beside a chart: as much of them as fits in a share of its width. */
export function sideNames(names, width, share = 0.42) {
    const longest = Math.max(...names.map((name) => [...name].length), 1);
    const fits = Math.max(6, Math.floor((width * share - 14) / LETTER));
    const labels = names.map((name) => shorten(name, fits));
    return { labels, margin: Math.min(longest, fits) * LETTER + 14 };
}

/** A line of a chart and its name. */
export function keyEntry(text, colour) {
    const mark = h('span', { class: 'key-line', 'aria-hidden': 'true' });
    mark.style.setProperty('--colour', colour);
    return h('span', { class: 'key' }, mark, ` ${text} `);
}
