// csv.js - the numbers behind a picture as a table that any program reads: a header, and every digit that the page has.

/** The fewest digits that give the same float32 back: 0.1 and not 0.10000000149011612. */
export function single(value) {
    if (!Number.isFinite(value)) return value;
    for (let digits = 6; digits < 9; digits++) {
        const short = Number(value.toPrecision(digits));
        if (Math.fround(short) === value) return short;
    }
    return Number(value.toPrecision(9));
}

/** @param {any} value missing is an empty cell */
function cell(value) {
    if (value == null || (typeof value === 'number' && Number.isNaN(value))) return '';
    const text = String(value);
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {any[][]} rows the first is the header */
export const csv = (rows) => rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
