// download.js - every picture can be kept (SVG, PNG), and so can the numbers behind it (CSV). Files are made in the page: nothing is
// fetched, and it works from disk.
import { csv } from './csv.js';
import { h } from './dom.js';
import { shorten } from './format.js';
import { SvgPen } from './svg.js';

const FONT = 'system-ui, -apple-system, "Segoe UI", sans-serif';
const PNG_SCALE = 2; // pixels of a PNG for each of the page
const MARGIN = 16;
let reportName = 'report';

/** What files are named after. */
export function nameDownloads(title) {
    reportName = slug(title.replace(/\.smerf$/, '')) || 'report';
}

export const slug = (text) =>
    text
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replace(/[^A-Za-z0-9._]+/g, '-')
        .replace(/^[-.]+|[-.]+$/g, '')
        .slice(0, 60)
        .toLowerCase();

/**
 * The menu at a picture.
 * @param {object} what
 * @param {string} what.title
 * @param {(() => string | null) | null} [what.svg] the picture; null: not drawn yet
 * @param {(() => any[][]) | null} [what.rows] the numbers, with a header
 */
export function downloadMenu({ title, svg = null, rows = null }) {
    const name = () => `${reportName}-${slug(title)}`;
    const choices = /** @type {[string, () => any][]} */ (
        [
            svg && ['Picture, SVG', () => saveSvg(svg(), name())],
            svg && ['Picture, PNG', () => savePng(svg(), name())],
            rows && ['Numbers, CSV', () => save(new Blob([csv(rows())], { type: 'text/csv' }), `${name()}.csv`)],
        ].filter(Boolean)
    );
    const summary = h('summary', { 'aria-label': `Save: ${title}` }, 'Save');
    const close = () => (menu.open = false);
    const buttons = choices.map(([text, act]) =>
        h(
            'button',
            {
                type: 'button',
                onclick: async () => {
                    await act();
                    close();
                    summary.focus();
                },
            },
            text,
        ),
    );
    const menu = h('details', { class: 'download' }, summary, h('div', { class: 'choices' }, ...buttons));
    const outside = (event) => !menu.contains(event.target) && close();
    menu.addEventListener('toggle', () => {
        if (menu.open) document.addEventListener('pointerdown', outside);
        else document.removeEventListener('pointerdown', outside);
    });
    menu.addEventListener('focusout', (event) => event.relatedTarget && outside({ target: event.relatedTarget }));
    menu.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape') return;
        close();
        summary.focus();
    });
    return menu;
}

function save(blob, name) {
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60000); // some browsers read it later
}

function saveSvg(svg, name) {
    if (svg) save(new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`);
}

/** A data address and not a blob's: a canvas that has drawn one can still be read, in every browser and from disk. */
async function savePng(svg, name) {
    if (!svg) return;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = h('canvas', { width: image.naturalWidth * PNG_SCALE, height: image.naturalHeight * PNG_SCALE });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    save(blob, `${name}.png`);
}

/** A colour of the page's theme, as it is now. */
export const themeColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * A picture under its title, with the keys that the page shows beside it.
 * @param {object} parts
 * @param {string} parts.title
 * @param {number} parts.width of the picture itself
 * @param {number} parts.height
 * @param {(pen: SvgPen, ink: string) => void} parts.draw from the corner (0, 0)
 * @param {import('./charts/figure.js').Key[]} [parts.keys]
 */
export function framed({ title, width, height, draw, keys = [] }) {
    const [ink, muted, paper] = ['--ink', '--muted', '--paper'].map(themeColour);
    const inner = new SvgPen();
    draw(inner, ink);
    const pen = new SvgPen();
    const body = new SvgPen();
    body.font = `600 15px ${FONT}`;
    body.fillStyle = ink;
    let top = MARGIN + 14;
    body.fillText(shorten(title, Math.max(12, Math.floor(width / 8))), MARGIN, top);
    top = drawKeys(body, keys, width, top + 12, muted);
    const whole = { width: width + 2 * MARGIN, height: top + height + MARGIN };
    pen.fillStyle = paper;
    pen.fillRect(0, 0, whole.width, whole.height);
    pen.drawSvg(body.parts.join('\n'), 0, 0);
    pen.drawSvg(inner.parts.join('\n'), MARGIN, top);
    return pen.markup(whole.width, whole.height);
}

/** Lines of the keys below the title; gives where they end. */
function drawKeys(pen, keys, width, top, muted) {
    if (keys.length === 0) return top;
    pen.font = `12px ${FONT}`;
    pen.textBaseline = 'middle';
    let [left, line] = [MARGIN, top + 8];
    for (const { text, colour, colours, draw } of keys) {
        const mark = colours ? 64 : colour || draw ? 18 : 0;
        const long = mark + (mark ? 6 : 0) + pen.measureText(text).width + 18;
        if (left > MARGIN && left + long > width + MARGIN) [left, line] = [MARGIN, line + 18];
        if (draw) draw(pen, left + 9, line);
        else if (colours) {
            colours.forEach((one, k) => {
                pen.fillStyle = one;
                pen.fillRect(left + (k * mark) / colours.length, line - 4, mark / colours.length + 0.5, 8);
            });
        } else if (colour) {
            pen.fillStyle = colour;
            pen.fillRect(left, line - 1.5, mark, 3);
        }
        pen.fillStyle = muted;
        pen.fillText(text, left + mark + (mark ? 6 : 0), line);
        left += long;
    }
    return line + 16;
}

/** A chart that the page shows, with the theme's colours written out. */
export function chartMarkup(svg) {
    const copy = svg.cloneNode(true);
    copy.removeAttribute('aria-label');
    copy.removeAttribute('role');
    for (const element of copy.querySelectorAll('title')) if (element.parentNode !== copy) element.remove();
    return new XMLSerializer()
        .serializeToString(copy)
        .replace(/var\((--[\w-]+)\)/g, (_, name) => themeColour(name).replaceAll('"', "'"));
}
