// map/marks.js - what lies over the items: lines to neighbours, rings, names where there is room, the clusters' numbers.
import { CLUSTER } from '../colours.js';
import { shorten } from '../format.js';

const MOST_NAMES = 60;
const FONT = '12px system-ui, -apple-system, "Segoe UI", sans-serif';

/** @param {import('./view.js').MapView} view @param {CanvasRenderingContext2D} context */
export function drawMarks(view, context) {
    const { width, ratio } = view.size;
    const { first, second, pointed, theme, colouring } = view.store.now;
    const ink = theme === 'dark' ? '#f2f4f6' : '#15181c';
    const paper = theme === 'dark' ? 'rgba(20, 23, 27, 0.85)' : 'rgba(255, 255, 255, 0.85)';
    const frame = view.frame();
    const radius = view.radius();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;

    const names = new Names(context, ink, paper, width);
    const at = (item) => view.screen(item, frame);
    const ring = (item, size, line, colour = ink) => {
        const [left, top] = at(item);
        context.beginPath();
        context.arc(left, top, size, 0, 2 * Math.PI);
        context.lineWidth = line + 2;
        context.strokeStyle = paper;
        context.stroke();
        context.lineWidth = line;
        context.strokeStyle = colour;
        context.stroke();
    };
    const line = (from, to, thickness, dash = []) => {
        context.beginPath();
        context.moveTo(...at(from));
        context.lineTo(...at(to));
        context.setLineDash(dash);
        context.lineWidth = thickness;
        context.strokeStyle = ink;
        context.stroke();
        context.setLineDash([]);
    };

    const near = first === null ? [] : view.report.neighbors(first);
    context.globalAlpha = second === null ? 0.75 : 0.35;
    for (const { item } of near) line(first, item, 1.2);
    context.globalAlpha = 1;
    if (second !== null) line(first, second, 2.5, [6, 4]);
    for (const { item } of near) ring(item, radius + 2, 1);
    if (first !== null) ring(first, radius + 5, 3);
    if (second !== null) ring(second, radius + 5, 2);
    if (pointed !== null) ring(pointed, radius + 3.5, 2);

    for (const item of [first, second])
        if (item !== null) names.put(view.report.ids[item], ...at(item), radius + 7, true);
    if (colouring === CLUSTER) numberClusters(view, context, at, ink, paper);
    for (const { item } of near) names.put(view.report.ids[item], ...at(item), radius + 4, false);
    nameOthers(view, names, frame, radius);
}

/** The names of all items that are in view, if they are few. */
function nameOthers(view, names, frame, radius) {
    const { width, height } = view.size;
    const seen = [];
    for (const item of view.places) {
        const [left, top] = view.screen(item, frame);
        if (left < 0 || left > width || top < 0 || top > height) continue;
        if (seen.push(item) > MOST_NAMES) return;
    }
    for (const item of seen) names.put(view.report.ids[item], ...view.screen(item, frame), radius + 4, false);
}

function numberClusters(view, context, at, ink, paper) {
    context.font = `700 13px ${FONT.slice(5)}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineWidth = 4;
    (view.report.clusters.medoids ?? []).forEach((item, cluster) => {
        if (item == null || !Number.isFinite(view.report.map.x[item])) return;
        const [left, top] = at(item);
        context.strokeStyle = paper;
        context.strokeText(String(cluster + 1), left, top);
        context.fillStyle = ink;
        context.fillText(String(cluster + 1), left, top);
    });
    context.textAlign = 'start';
    context.font = FONT;
}

/** Names that do not cover each other. */
class Names {
    constructor(context, ink, paper, width) {
        this.context = context;
        this.ink = ink;
        this.paper = paper;
        this.width = width;
        this.taken = [];
    }

    /** isNeeded: also where it covers another. */
    put(name, left, top, gap, isNeeded) {
        const { context } = this;
        const text = shorten(name, 28);
        const long = context.measureText(text).width;
        const start = left + gap + long > this.width ? left - gap - long : left + gap;
        const box = [start - 2, top - 8, start + long + 2, top + 8];
        const isFree = this.taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b);
        if (!isFree && !isNeeded) return;
        this.taken.push(box);
        context.textBaseline = 'middle';
        context.lineWidth = 4;
        context.lineJoin = 'round';
        context.strokeStyle = this.paper;
        context.strokeText(text, start, top);
        context.fillStyle = this.ink;
        context.fillText(text, start, top);
    }
}
