// map/view.js - the map of the items on two canvases: all items below, and what changes often (lines, rings, names) above.
// Items are drawn as copies of one small picture per colour, which keeps 20,000 of them smooth.
import { quadtree } from 'd3-quadtree';
import { select } from 'd3-selection';
import { zoom, zoomIdentity } from 'd3-zoom';
import { h } from '../dom.js';
import { drawMarks } from './marks.js';
import { Discs, Sprites } from './sprites.js';

const PADDING = 28;
const REACH = 16; // pixels from the pointer within which an item is meant
const MOST_ZOOM = 150;

export class MapView {
    /**
     * @param {import('../data.js').Report} report
     * @param {import('../store.js').Store} store
     */
    constructor(report, store) {
        this.report = report;
        this.store = store;
        this.transform = zoomIdentity;
        this.size = { width: 0, height: 0, ratio: 1 };
        this.colouring = null;
        this.base = h('canvas', { class: 'items', 'aria-hidden': 'true' });
        this.marks = h('canvas', { class: 'marks', 'aria-hidden': 'true' });
        this.element = h('div', { class: 'map-view', tabindex: '0' }, this.base, this.marks);
        this.bounds = boundsOf(report.map);
        this.element.style.setProperty('--shape', String(shapeOf(this.bounds)));
        this.places = Array.from({ length: report.n }, (_, item) => item).filter((item) => isPlaced(report.map, item));
        this.tree = quadtree(
            this.places,
            (item) => report.map.x[item],
            (item) => report.map.y[item],
        );
        this.listen();
        new ResizeObserver(() => this.resize()).observe(this.element);
    }

    listen() {
        let lastScroll = 0; // a page that is being scrolled does not stop to zoom because the map came under the pointer
        window.addEventListener(
            'wheel',
            (event) => !this.element.contains(/** @type {Node} */ (event.target)) && (lastScroll = event.timeStamp),
            { passive: true },
        );
        this.zoom = zoom()
            .scaleExtent([0.8, MOST_ZOOM])
            .filter((event) => {
                if (event.type === 'wheel') return event.timeStamp - lastScroll > 400 || event.ctrlKey;
                if (event.type.startsWith('touch')) return event.touches.length > 1; // one finger scrolls the page
                return !event.button && event.type !== 'dblclick';
            })
            .on('zoom', ({ transform, sourceEvent }) => {
                this.transform = transform;
                if (sourceEvent) this.store.set({ pointed: null }); // it moves away under the pointer
                this.redraw();
            });
        this.target = select(this.element);
        this.target.call(this.zoom);
        this.element.style.touchAction = 'pan-x pan-y';
        this.element.addEventListener('pointermove', (event) => this.point(event));
        this.element.addEventListener('pointerleave', () => this.store.set({ pointed: null }));
        this.element.addEventListener('click', (event) => this.click(event));
    }

    point(event) {
        if (event.buttons === 0 && event.pointerType !== 'touch')
            this.store.set({ pointed: this.itemAt(...this.local(event)) });
    }

    click(event) {
        const item = this.itemAt(...this.local(event));
        if (item !== null) this.store.pick(item);
    }

    local(event) {
        const box = this.element.getBoundingClientRect();
        return /** @type {[number, number]} */ ([event.clientX - box.left, event.clientY - box.top]);
    }

    /** The item nearest to a point of the screen, or null if none is near. */
    itemAt(left, top) {
        const { scale, shiftX, shiftY } = this.frame();
        const x = (left - shiftX) / scale;
        const y = (shiftY - top) / scale;
        return this.tree.find(x, y, REACH / scale) ?? null;
    }

    /** From the map's coordinates to the screen: left = shiftX + scale * x, top = shiftY - scale * y. */
    frame() {
        const { width, height } = this.size;
        const { left, right, bottom, top } = this.bounds;
        const fit = Math.min((width - 2 * PADDING) / (right - left), (height - 2 * PADDING) / (top - bottom));
        const { k, x, y } = this.transform;
        return {
            scale: k * fit,
            shiftX: x + k * (width / 2 - (fit * (left + right)) / 2),
            shiftY: y + k * (height / 2 + (fit * (top + bottom)) / 2),
        };
    }

    /** @returns {[number, number]} */
    screen(item, frame = this.frame()) {
        return [
            frame.shiftX + frame.scale * this.report.map.x[item],
            frame.shiftY - frame.scale * this.report.map.y[item],
        ];
    }

    /** Smaller for many, and a little larger from near. */
    radius() {
        const { width, height } = this.size;
        const crowd = Math.sqrt((0.07 * width * height) / Math.max(this.places.length, 1) / Math.PI);
        return Math.min(Math.max(crowd, 1.7), 7) * Math.min(this.transform.k ** 0.3, 2.2);
    }

    /** @param {import('../colours.js').Colouring} colouring */
    colour(colouring) {
        this.colouring = colouring;
        this.redraw();
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.element;
        const ratio = window.devicePixelRatio || 1;
        if (width === 0 || height === 0) return;
        this.size = { width, height, ratio };
        for (const canvas of [this.base, this.marks]) {
            canvas.width = Math.round(width * ratio);
            canvas.height = Math.round(height * ratio);
        }
        this.zoom.extent([[0, 0], [width, height]]).translateExtent([[-width, -height], [2 * width, 2 * height]]); // prettier-ignore
        this.drawAll();
    }

    /** Draws before the next frame, once for all that asked. */
    redraw() {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            this.drawAll();
        });
    }

    drawAll() {
        if (this.size.width === 0 || !this.colouring) return;
        this.drawItems();
        this.drawMarks();
    }

    drawItems() {
        const { width, height, ratio } = this.size;
        const context = this.base.getContext('2d');
        const frame = this.frame();
        const radius = this.radius();
        const brush = this.brush(radius * ratio);
        const { isolated } = this.store.now;
        const { of } = this.colouring;
        const { x, y } = this.report.map;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, this.base.width, this.base.height);
        const draw = (item) => {
            const left = frame.shiftX + frame.scale * x[item];
            const top = frame.shiftY - frame.scale * y[item];
            if (left > -radius && left < width + radius && top > -radius && top < height + radius) {
                brush.draw(context, of[item], left * ratio, top * ratio);
            }
        };
        if (isolated !== null) {
            context.globalAlpha = 0.13;
            for (const item of this.places) if (of[item] !== isolated) draw(item);
            context.globalAlpha = 1;
            for (const item of this.places) if (of[item] === isolated) draw(item);
            return;
        }
        context.globalAlpha = this.places.length > 5000 ? 0.8 : 0.95;
        for (const item of this.places) draw(item);
        context.globalAlpha = 1;
    }

    /** Small pictures are made anew only when the colours or the size have changed. */
    brush(radius) {
        const { theme, isPrinting } = this.store.now;
        const look = { colouring: this.colouring, radius: Math.round(4 * radius) / 4, theme };
        if (isPrinting) return new Discs(look);
        if (!this.sprites?.isFor(look)) this.sprites = new Sprites(look);
        return this.sprites;
    }

    drawMarks() {
        if (this.size.width === 0 || !this.colouring) return;
        // Printed canvases wipe out what is below them where they are empty: on paper the marks go on the items' own.
        if (this.store.now.isPrinting) return drawMarks(this, this.base.getContext('2d'));
        const context = this.marks.getContext('2d');
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, this.marks.width, this.marks.height);
        drawMarks(this, context);
    }

    zoomBy(factor) {
        this.target.call(this.zoom.scaleBy, factor);
    }

    panBy(left, top) {
        this.target.call(this.zoom.translateBy, left / this.transform.k, top / this.transform.k);
    }

    showAll() {
        this.target.call(this.zoom.transform, zoomIdentity);
    }

    /** Brings an item into view, in the middle if it was out of it. */
    bringIntoView(item) {
        const { width, height } = this.size;
        if (width === 0 || !isPlaced(this.report.map, item)) return;
        const [left, top] = this.screen(item);
        const isSeen = left > PADDING && left < width - PADDING && top > PADDING && top < height - PADDING;
        if (!isSeen) this.panBy(width / 2 - left, height / 2 - top);
    }
}

export const isPlaced = (map, item) => Number.isFinite(map.x[item]) && Number.isFinite(map.y[item]);

/** Width over height, within what a page can show. */
function shapeOf({ left, right, bottom, top }) {
    return Math.min(Math.max((right - left) / (top - bottom), 0.8), 2.2);
}

function boundsOf(map) {
    const range = (values) => {
        let [low, high] = [Infinity, -Infinity];
        for (const value of values) {
            if (value < low) low = value;
            if (value > high) high = value;
        }
        return low <= high ? [low, high] : [0, 0];
    };
    const [left, right] = range(map.x);
    const [bottom, top] = range(map.y);
    const size = Math.max(Math.abs(left), Math.abs(right), Math.abs(bottom), Math.abs(top));
    const least = Math.max(right - left, top - bottom, 1e-5 * size, 1e-9) / 20; // all on one line, or in one place
    const widen = (low, high) =>
        high - low >= least ? [low, high] : [(low + high - least) / 2, (low + high + least) / 2];
    const [l, r] = widen(left, right);
    const [b, t] = widen(bottom, top);
    return { left: l, right: r, bottom: b, top: t };
}
