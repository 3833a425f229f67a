// charts/confusion.js - which labels are taken for which: a table whose cells are shaded by how often, to be walked with arrow keys.
import { channels, densityColour } from '../colours.js';
import { h, numbers } from '../dom.js';
import { downloadMenu, framed } from '../download.js';
import { count, counted, number, percent, score, shorten } from '../format.js';
import { caption } from './figure.js';

const MOST_LABELS = 50;
const HINT = 'Point at a cell, or walk with the arrow keys, to read it.';

/**
 * Sums of a table of counts, true labels by predicted ones.
 * @param {{labels: string[], counts: number[][]}} classification
 */
export function totals({ labels, counts }) {
    const rowSums = counts.map((row) => row.reduce((sum, n) => sum + n, 0));
    const columnSums = labels.map((_, c) => counts.reduce((sum, row) => sum + row[c], 0));
    const n = rowSums.reduce((sum, some) => sum + some, 0);
    const right = counts.reduce((sum, row, r) => sum + row[r], 0);
    const guess = Math.max(...rowSums, 0); // right if the most frequent label is guessed every time
    return { rowSums, columnSums, n, right, guess };
}

/** The labels of most items, in their order, and the others in one: a matrix that a page can show. */
export function pooled(classification, most = MOST_LABELS) {
    const { labels, counts } = classification;
    if (labels.length <= most) return classification;
    const { rowSums } = totals(classification);
    const kept = labels
        .map((_, k) => k)
        .sort((a, b) => rowSums[b] - rowSums[a] || a - b)
        .slice(0, most - 1);
    kept.sort((a, b) => a - b);
    const index = labels.map((_, k) => (kept.includes(k) ? kept.indexOf(k) : most - 1));
    const sums = Array.from({ length: most }, () => new Array(most).fill(0));
    counts.forEach((row, r) => row.forEach((n, c) => (sums[index[r]][index[c]] += n)));
    return { ...classification, labels: [...kept.map((k) => labels[k]), 'others'], counts: sums };
}

/** How often the predicted label is the true one, and what that is worth. */
export function accuracySentence(classification) {
    const { n, right, guess, rowSums } = totals(classification);
    if (n === 0) return 'No item was classified.';
    const nLeft = classification.n_unpredicted ?? 0;
    const left = nLeft > 0 ? ` ${counted(nLeft, 'item')} that every tree has seen ${nLeft === 1 ? 'is' : 'are'} left out.` : ''; // prettier-ignore
    const how = classification.kind === 'out of bag' ? ', by trees that have not seen the item' : '';
    const most = classification.labels[rowSums.indexOf(guess)];
    const worth =
        right > guess
            ? `guessing \u201c${shorten(most, 30)}\u201d every time would be right for ${percent(guess / n)}`
            : right === guess
              ? `guessing \u201c${shorten(most, 30)}\u201d every time would be right as often`
              : `that is worse than guessing \u201c${shorten(most, 30)}\u201d every time, which would be right for ${percent(guess / n)}`;
    return `The predicted label is the true one for ${count(right)} of ${counted(n, 'item')}: an accuracy of ${score(right / n)}${how}; ${worth}.${left}`;
}

/** The pairs of labels that are mistaken for each other most often, one sentence. */
export function mistakesSentence({ labels, counts }) {
    const pairs = counts.flatMap((row, r) => row.map((n, c) => ({ n, r, c })).filter(({ n, c }) => c !== r && n > 0));
    if (pairs.length === 0) return 'No label is taken for another.';
    const listed = pairs.sort((a, b) => b.n - a.n || a.r - b.r || a.c - b.c).slice(0, 3);
    const examples = listed.map(
        ({ n, r, c }) => `${shorten(labels[r], 30)} for ${shorten(labels[c], 30)} (${counted(n, 'time')})`,
    );
    return `Most often taken for another: ${examples.join(', ')}.`;
}

/**
 * @param {{kind: string, labels: string[], counts: number[][]}} classification
 * @param {import('../store.js').Store} store
 */
export function confusionFigure(classification, store) {
    const shown = pooled(classification);
    const { labels, counts } = shown;
    const sums = totals(shown);
    const title = 'Confusion matrix';
    const status = h('p', { class: 'told', role: 'status' }, HINT);
    const sentence = (r, c) =>
        `${counted(counts[r][c], 'item')} of label ${labels[r]}, of ${count(sums.rowSums[r])} (${percent(fractionOf(counts, sums, r, c))}), ${counts[r][c] === 1 ? 'was' : 'were'} predicted ${r === c ? 'rightly' : `as ${labels[c]}`}.`;
    const cells = counts.map((row, r) =>
        row.map(
            (n, c) =>
            h('td', { role: 'gridcell', class: r === c && 'diagonal', tabindex: r + c === 0 ? '0' : '-1', 'data-cell': `${r} ${c}` }, n > 0 ? count(n) : h('span', { class: 'none' }, '0')), // prettier-ignore
        ),
    );
    const table = gridOf(labels, cells, sums);
    table.style.setProperty('--n-labels', String(labels.length + 4));
    const show = (cell) => (status.textContent = cell ? sentence(...cell) : HINT);
    listen(table, cells, show);
    const paint = () => paintCells(cells, counts, sums, store.now.theme);
    store.watch((_, changed) => changed('theme') && paint());
    paint();
    const menu = downloadMenu({
        title,
        svg: () => savedMatrix(title, labels, counts, sums, store.now.theme),
        rows: () => [
            ['true', ...classification.labels],
            ...classification.counts.map((row, r) => [classification.labels[r], ...row]),
        ],
    });
    const nPooled = classification.labels.length - labels.length + 1;
    const cap =
        nPooled > 1
            ? ` The ${count(labels.length - 1)} labels of most items are shown, the other ${count(nPooled)} together; the file to save has all.`
            : '';
    const note = `A row is a true label, a column a predicted one; on the diagonal they agree. Shaded by the fraction of the row.${cap}`;
    const scroller = h('div', { class: 'scroller matrix' }, table);
    return h('figure', { class: 'wide' }, caption(title, note, menu), scroller, status, labelTable(classification));
}

const fractionOf = (counts, sums, r, c) => (sums.rowSums[r] > 0 ? counts[r][c] / sums.rowSums[r] : 0);

function gridOf(labels, cells, sums) {
    const head = labels.map((label) =>
        h('th', { scope: 'col', role: 'columnheader', title: label }, shorten(label, 10)),
    );
    return h(
        'table',
        { role: 'grid', 'aria-label': 'Confusion matrix: rows are true labels, columns predicted ones', 'aria-readonly': 'true' }, // prettier-ignore
        h(
            'thead',
            null,
            h('tr', null, h('th', { scope: 'col', role: 'columnheader' }, 'true \\ predicted'), ...head, h('th', { scope: 'col', role: 'columnheader' }, 'all')), // prettier-ignore
        ),
        h(
            'tbody',
            null,
            ...cells.map((row, r) =>
                h(
                    'tr',
                    null,
                    h('th', { scope: 'row', role: 'rowheader', title: labels[r] }, shorten(labels[r], 24)),
                    ...row,
                    h('td', { role: 'gridcell', class: 'sum' }, count(sums.rowSums[r])),
                ),
            ),
        ),
    );
}

/** One cell takes the focus; arrows move it. */
function listen(table, cells, show) {
    let at = [0, 0];
    const focus = (row, column) => {
        cells[at[0]][at[1]].setAttribute('tabindex', '-1');
        at = [row, column];
        cells[row][column].setAttribute('tabindex', '0');
        cells[row][column].focus();
    };
    const cellOf = (event) => event.target.closest?.('[data-cell]')?.dataset.cell.split(' ').map(Number) ?? null;
    table.addEventListener('pointerover', (event) => show(cellOf(event)));
    table.addEventListener('pointerleave', () => show(null));
    table.addEventListener('focusin', (event) => show(cellOf(event)));
    table.addEventListener('keydown', (event) => {
        const last = cells.length - 1;
        const [row, column] = cellOf(event) ?? at;
        const moves = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], Home: [row, 0], End: [row, last] }; // prettier-ignore
        const next = moves[event.key];
        if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
        focus(...next.map((index) => Math.min(Math.max(index, 0), last)));
        event.preventDefault();
    });
}

const ground = (fraction, theme) => densityColour(fraction, theme);

/** Black or white, whichever reads better on a colour (WCAG's relative luminance). */
export function inkOn(colour) {
    const [red, green, blue] = channels(colour).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}

/** Empty cells keep the page's ground: what is there stands out. */
function paintCells(cells, counts, sums, theme) {
    cells.forEach((row, r) =>
        row.forEach((cell, c) => {
            const colour = counts[r][c] > 0 ? ground(fractionOf(counts, sums, r, c), theme) : null;
            cell.style.setProperty('background', colour ?? 'transparent');
            cell.style.setProperty('color', colour ? inkOn(colour) : 'var(--muted)');
        }),
    );
}

/** What is found of each label, and how many calls of it are right. */
function labelTable(classification) {
    const { labels, counts } = classification;
    const sums = totals(classification);
    const of = (right, all) => (all > 0 ? number(right / all) : '\u2013');
    return numbers(
        ['label', 'items', 'recall', 'predicted', 'precision'],
        labels.map((label, k) => [
            label,
            count(sums.rowSums[k]),
            of(counts[k][k], sums.rowSums[k]),
            count(sums.columnSums[k]),
            of(counts[k][k], sums.columnSums[k]),
        ]),
        'Recall and precision of each label',
    );
}

function savedMatrix(title, labels, counts, sums, theme) {
    const side = labels.length > 12 ? 30 : 44;
    const margin = 12 + 7 * Math.min(Math.max(...labels.map((label) => [...label].length), 6), 24);
    const width = margin + side * labels.length + 8;
    const height = 46 + side * labels.length + 8;
    return framed({
        title,
        width,
        height,
        keys: [{ text: 'rows: true labels, columns: predicted labels; shaded by the fraction of the row' }],
        draw: (pen, ink) => {
            pen.textBaseline = 'middle';
            pen.font = '11px system-ui, sans-serif';
            const cut = Math.max(2, Math.floor(side / 7));
            labels.forEach((label, k) => {
                pen.fillStyle = ink;
                pen.textAlign = 'end';
                pen.fillText(shorten(label, 24), margin - 8, 34 + (k + 0.5) * side);
                pen.textAlign = 'center';
                pen.fillText(shorten(label, cut), margin + (k + 0.5) * side, 22);
            });
            counts.forEach((row, r) =>
                row.forEach((n, c) => {
                    if (n === 0) return;
                    const colour = ground(fractionOf(counts, sums, r, c), theme);
                    pen.fillStyle = colour;
                    pen.fillRect(margin + c * side, 34 + r * side, side - 1, side - 1);
                    pen.fillStyle = inkOn(colour);
                    pen.fillText(count(n), margin + (c + 0.5) * side, 34 + (r + 0.5) * side);
                }),
            );
        },
    });
}
