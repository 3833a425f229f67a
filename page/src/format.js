// format.js - numbers as people read them, and words as a shell reads them.

const MINUS = '\u2212';

/** Three figures, or as many as are asked for: 0.0481, 12.3, 1,230. */
export function number(value, figures = 3) {
    if (value == null || Number.isNaN(value)) return 'missing';
    if (!Number.isFinite(value)) return value > 0 ? '\u221e' : `${MINUS}\u221e`;
    if (value === 0) return '0';
    const size = Math.abs(value);
    const text =
        size >= 1e6 || size < 1e-4
            ? size
                  .toExponential(figures - 1)
                  .replace(/\.?0+e/, 'e')
                  .replace('e+', 'e')
                  .replace('e-', `e${MINUS}`)
            : grouped(size, figures);
    return value < 0 ? MINUS + text : text;
}

function grouped(size, figures) {
    const digits = Math.max(0, figures - 1 - Math.floor(Math.log10(size)));
    return Number(size.toFixed(digits)).toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** A score of which 1 is perfect: what is not perfect does not read as 1. */
export function score(value) {
    let figures = 3;
    while (value < 1 && number(value, figures) === '1' && figures < 7) figures++;
    return number(value, figures);
}

/** With its sign, as a change is told. */
export const change = (value, figures = 3) => (value > 0 ? '+' : '') + number(value, figures);

/** Whole numbers: 20,000. */
export const count = (value) => Math.round(value).toLocaleString('en-US');

/** "1 item", "2 items". */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** 0.817 as "82 %", which does not break. */
export function percent(share, digits = 0) {
    return `${number(100 * share, Math.max(2 + digits, 1))}\u00a0%`;
}

/** A word that any POSIX shell takes as it stands. A leading dash is the caller's to mind. */
export function shellQuote(word) {
    return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A name cut to a length, for the narrow place beside a chart. */
export function shorten(text, length) {
    const letters = [...text];
    return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}\u2026`;
}
