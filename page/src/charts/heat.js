// charts/heat.js - the learned distances of all pairs (or of sampled items), ordered by cluster, on a canvas.
import { channels, densityColour } from '../colours.js';
import { single } from '../csv.js';
import { h, numbers } from '../dom.js';
import { downloadMenu, framed } from '../download.js';
import { count, number } from '../format.js';
import { caption } from './figure.js';

const N_SHADES = 256;
const TITLE = 'Distances of all pairs';
const SAVED_SIDE = 640; // pixels of a saved picture
const HINT = 'Point at a pair to read its distance; click it to select both items.';

/** @param {import('../data.js').Report} report @param {import('../store.js').Store} store */
export function heatFigure(report, store) {
    const heat = new Heat(report, store);
    const { items } = report.heat;
    const sampled =
        items.length < report.n
            ? `A sample of ${count(items.length)} of the ${count(report.n)} items`
            : `All ${count(report.n)} items`;
    const order = report.clusters ? ', ordered by cluster and within it by the distance to its middle' : '';
    return h(
        'figure',
        { class: 'heat' },
        caption(
            TITLE,
            h(
                'span',
                null,
                `${sampled}${order}. Blocks along the diagonal are groups of items that are near each other. Distance: `,
                heat.key,
            ),
            downloadMenu({ title: TITLE, svg: () => heat.saved(), rows: () => heat.rows() }),
        ),
        heat.element,
        h('div', null, heat.told, report.clusters && betweenTable(report)),
    );
}

class Heat {
    /** @param {import('../data.js').Report} report @param {import('../store.js').Store} store */
    constructor(report, store) {
        this.report = report;
        this.store = store;
        this.items = report.heat.items;
        this.m = this.items.length;
        this.cell = null; // row and column under the pointer or the keyboard's cursor
        this.range = range(report.heat.distance, this.m);
        this.canvas = h('canvas', { 'aria-hidden': 'true' });
        this.key = h('span', { class: 'key' });
        this.told = h('p', { class: 'told', role: 'status' }, HINT);
        this.element = h(
            'div',
            {
                class: 'heat-view',
                tabindex: '0',
                role: 'application',
                'aria-roledescription': 'heat map',
                'aria-label': 'Heat map of distances. Arrow keys move over the pairs, Enter selects one.',
            },
            this.canvas,
        );
        new ResizeObserver(() => this.resize()).observe(this.element);
        store.watch((_, changed) => changed('theme') && this.paint());
        this.element.addEventListener('pointermove', (event) => this.point(event));
        this.element.addEventListener('pointerleave', () => this.show(null));
        this.element.addEventListener('click', (event) => {
            this.point(event);
            this.choose();
        });
        this.element.addEventListener('keydown', (event) => this.press(event));
        this.paint();
    }

    /** The picture itself, one pixel a pair; drawn larger or smaller later. */
    paint() {
        const { theme } = this.store.now;
        const shades = Array.from({ length: N_SHADES }, (_, k) =>
            channels(densityColour(1 - k / (N_SHADES - 1), theme)),
        );
        const image = new ImageData(this.m, this.m);
        const { distance } = this.report.heat;
        const [low, high] = this.range;
        for (let p = 0; p < distance.length; p++) {
            const share = (distance[p] - low) / (high - low || 1);
            const shade = shades[Math.round(Math.min(Math.max(share, 0), 1) * (N_SHADES - 1))] ?? [128, 128, 128];
            image.data.set([...shade, 255], 4 * p);
        }
        this.picture = document.createElement('canvas');
        this.picture.width = this.picture.height = this.m;
        this.picture.getContext('2d').putImageData(image, 0, 0);
        this.paintKey(theme);
        this.draw();
    }

    paintKey(theme) {
        const bar = h('span', { class: 'key-bar', 'aria-hidden': 'true' });
        const colours = keyColours(theme);
        bar.style.setProperty('background', `linear-gradient(to right, ${colours.join(', ')})`);
        this.key.replaceChildren(`${number(this.range[0])} `, bar, ` ${number(this.range[1])}`);
    }

    /** The picture with its key, to be saved. */
    saved() {
        const { theme } = this.store.now;
        return framed({
            title: TITLE,
            width: SAVED_SIDE,
            height: SAVED_SIDE,
            keys: [{ text: `${number(this.range[0])} to ${number(this.range[1])}`, colours: keyColours(theme) }],
            draw: (pen) => {
                pen.drawPixels(this.picture, 0, 0, SAVED_SIDE, SAVED_SIDE);
                pen.lineWidth = 1;
                this.drawBorders(pen, SAVED_SIDE, SAVED_SIDE / this.m);
            },
        });
    }

    /** The distances themselves, as a square table. */
    rows() {
        const ids = this.items.map((item) => this.report.ids[item]);
        const { distance } = this.report.heat;
        return [
            ['item', ...ids],
            ...ids.map((id, row) => [
                id,
                ...Array.from(distance.subarray(row * this.m, (row + 1) * this.m), (value) => single(value)),
            ]),
        ];
    }

    resize() {
        const side = this.element.clientWidth;
        const ratio = window.devicePixelRatio || 1;
        if (side === 0) return;
        this.ratio = ratio;
        this.canvas.width = this.canvas.height = Math.round(side * ratio);
        this.draw();
    }

    draw() {
        const side = this.canvas.width;
        if (!this.ratio) return;
        const context = this.canvas.getContext('2d');
        context.clearRect(0, 0, side, side);
        context.imageSmoothingEnabled = side < this.m;
        context.drawImage(this.picture, 0, 0, side, side);
        const step = side / this.m;
        context.lineWidth = this.ratio;
        this.drawBorders(context, side, step);
        if (!this.cell) return;
        const [row, column] = this.cell;
        context.strokeStyle = this.store.now.theme === 'dark' ? '#ffffff' : '#000000';
        context.lineWidth = 1.5 * this.ratio;
        const size = Math.max(step, 6 * this.ratio);
        context.strokeRect((column + 0.5) * step - size / 2, (row + 0.5) * step - size / 2, size, size);
    }

    /** Thin lines where one cluster ends and the next begins. */
    drawBorders(context, side, step) {
        const of = this.report.clusters?.of;
        if (!of) return;
        context.strokeStyle = this.store.now.theme === 'dark' ? 'rgba(0, 0, 0, 0.7)' : 'rgba(255, 255, 255, 0.85)';
        context.beginPath();
        for (let k = 1; k < this.m; k++) {
            if (of[this.items[k]] === of[this.items[k - 1]]) continue;
            const at = Math.round(k * step);
            context.moveTo(at, 0);
            context.lineTo(at, side);
            context.moveTo(0, at);
            context.lineTo(side, at);
        }
        context.stroke();
    }

    point(event) {
        const box = this.canvas.getBoundingClientRect();
        const index = (offset) => Math.min(Math.max(Math.floor((offset / box.width) * this.m), 0), this.m - 1);
        this.show([index(event.clientY - box.top), index(event.clientX - box.left)]);
    }

    show(cell) {
        this.cell = cell;
        this.told.textContent = cell ? this.sentence(...cell) : HINT;
        this.draw();
    }

    sentence(row, column) {
        const [one, other] = [this.items[row], this.items[column]].map((item) => this.report.ids[item]);
        if (row === column) return one;
        return `${one} and ${other}: ${number(this.report.heat.distance[row * this.m + column])}`;
    }

    choose() {
        const [row, column] = this.cell ?? [0, 0];
        if (row === column) this.store.set({ first: this.items[row], second: null });
        else this.store.set({ first: this.items[row], second: this.items[column] });
        if (this.report.map) this.told.append(' \u2013 selected: ', h('a', { href: '#map' }, 'see the map'));
    }

    press(event) {
        const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
        const move = moves[event.key];
        if (move) {
            const next = (this.cell ?? [0, 0]).map((index, k) => Math.min(Math.max(index + move[k], 0), this.m - 1));
            this.show(next);
        } else if (event.key === 'Enter' && this.cell) this.choose();
        else if (event.key === 'Escape') this.show(null);
        else return;
        event.preventDefault();
    }
}

const keyColours = (theme) => Array.from({ length: 9 }, (_, k) => densityColour(1 - k / 8, theme));

/** Of the pairs of different items: a self-distance must not stretch the scale. */
function range(distance, m) {
    let [low, high] = [Infinity, -Infinity];
    for (let row = 0; row < m; row++) {
        for (let column = 0; column < m; column++) {
            const value = distance[row * m + column];
            if (row === column || !(value >= -Infinity)) continue;
            if (value < low) low = value;
            if (value > high) high = value;
        }
    }
    return low <= high ? [low, high] : [0, 1];
}

/** Mean distance within and between clusters, over the items shown. */
export function betweenClusters(items, of, k, distance) {
    const m = items.length;
    const sum = Array.from({ length: k }, () => new Array(k).fill(0));
    const n = Array.from({ length: k }, () => new Array(k).fill(0));
    for (let row = 0; row < m; row++) {
        for (let column = 0; column < m; column++) {
            const value = distance[row * m + column];
            if (row === column || Number.isNaN(value)) continue;
            sum[of[items[row]]][of[items[column]]] += value;
            n[of[items[row]]][of[items[column]]]++;
        }
    }
    return sum.map((row, a) => row.map((total, b) => (n[a][b] > 0 ? total / n[a][b] : NaN)));
}

function betweenTable(report) {
    const { k, of } = report.clusters;
    const means = betweenClusters(report.heat.items, of, k, report.heat.distance);
    const names = Array.from({ length: k }, (_, c) => `cluster ${c + 1}`);
    return numbers(
        ['mean distance', ...names],
        means.map((row, c) => [names[c], ...row.map((value) => (Number.isNaN(value) ? '\u2013' : number(value)))]),
        'Mean distances within and between clusters',
        k <= 6,
    );
}
