// map/marks.js - what lies over the items: lines to neighbours, rings, the clusters' numbers, names where they fit.
import { CLUSTER } from '../colours.js';
import { shorten } from '../format.js';
import { FEW_IDS, IDS, NOTHING, labelOf } from './labels.js';

const FEW = 60; // items in view, of which all are named
const MOST_TRIED = 1500; // of many, those that a name is tried for
const MOST_NAMES = 150;
const FONT = '12px system-ui, -apple-system, "Segoe UI", sans-serif';

/**
 * @param {import('./view.js').MapView} view
 * @param {any} context a canvas's, or a pen of svg.js
 */
export function drawMarks(view, context) {
    const { width, height } = view.size;
    const { first, second, pointed, theme, colouring } = view.store.now;
    const ink = theme === 'dark' ? '#f2f4f6' : '#15181c';
    const paper = theme === 'dark' ? 'rgba(20, 23, 27, 0.85)' : 'rgba(255, 255, 255, 0.85)';
    const frame = view.frame();
    const radius = view.radius();
    context.font = FONT;

    const names = new Names(context, ink, paper, { width, height });
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

    if (colouring === CLUSTER) numberClusters(view, context, names, at);
    const selected = [first, second].filter((item) => item !== null);
    const named = new Set(selected); // once each, also a neighbour that is selected
    for (const item of selected) names.put(view.report.ids[item], ...at(item), radius + 7, true);
    for (const { item } of near)
        if (!named.has(item) && names.put(view.report.ids[item], ...at(item), radius + 4, false)) named.add(item);
    labelOthers(view, names, named, at, radius);
}

/** The labels of the items in view, as many as fit beside each other. */
function labelOthers(view, names, named, at, radius) {
    const { width, height } = view.size;
    const { labelling, isolated } = view.store.now;
    if (labelling === NOTHING) return;
    const areIds = [FEW_IDS, IDS].includes(labelling);
    const seen = [];
    for (const item of view.places) {
        if (isolated !== null && view.colouring.of[item] !== isolated) continue;
        const [left, top] = at(item);
        if (left < 0 || left > width || top < 0 || top > height) continue;
        if (seen.push(item) > FEW && labelling === FEW_IDS) return; // without looking at all of very many
    }
    const step = Math.ceil(seen.length / MOST_TRIED);
    let n = 0;
    for (let k = 0; k < seen.length && n < MOST_NAMES; k += step) {
        if (areIds && named.has(seen[k])) continue;
        const label = labelOf(view.report, labelling, seen[k]);
        if (label !== '' && names.put(label, ...at(seen[k]), radius + 4, false)) n++;
    }
}

const BADGE = 17; // pixels, of a cluster's number
const ASIDE = [[0, 0], [0, -1.3], [0, 1.3], [1.5, 0], [-1.5, 0], [1.3, -1.2], [-1.3, -1.2], [1.3, 1.2], [-1.3, 1.2], [0, -2.5], [0, 2.5], [2.8, 0], [-2.8, 0]]; // prettier-ignore

/** The clusters' numbers on a ground of their own, so that none is read as an id; beside the medoid where another one is there. */
function numberClusters(view, context, names, at) {
    context.font = `700 12px ${FONT.slice(5)}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    (view.report.clusters.medoids ?? []).forEach((item, cluster) => {
        if (item == null || !Number.isFinite(view.layout.x[item])) return;
        const text = String(cluster + 1);
        const wide = Math.max(BADGE, context.measureText(text).width + 8);
        const [left, top] = at(item);
        const boxAt = ([x, y]) => {
            const [middle, level] = [left + x * wide, top + y * BADGE];
            return [middle - wide / 2, level - BADGE / 2, middle + wide / 2, level + BADGE / 2];
        };
        const box = ASIDE.map(boxAt).find((some) => names.isFree(some)) ?? boxAt([0, 0]);
        names.taken.push(box);
        const [middle, level] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
        if (middle !== left || level !== top) {
            context.beginPath();
            context.moveTo(left, top);
            context.lineTo(middle, level);
            context.lineWidth = 1.2;
            context.strokeStyle = names.ink;
            context.stroke();
        }
        context.fillStyle = names.ink;
        context.fillRect(box[0], box[1], wide, BADGE);
        context.fillStyle = names.paper.replace('0.85', '1');
        context.fillText(text, middle, level);
    });
    context.textAlign = 'start';
    context.font = FONT;
}

/** Names that do not cover each other. */
class Names {
    constructor(context, ink, paper, { width, height }) {
        this.context = context;
        this.ink = ink;
        this.paper = paper;
        this.width = width;
        this.height = height;
        this.taken = [];
    }

    isFree(box) {
        return this.taken.every(([l, t, r, b]) => box[2] < l || box[0] > r || box[3] < t || box[1] > b);
    }

    /** To the right, else to the left, above, below. isNeeded: also where it covers another. Whether it was drawn. */
    put(name, left, top, gap, isNeeded) {
        const { context } = this;
        const text = shorten(name, 28);
        const long = context.measureText(text).width;
        const corners = [
            [left + gap, top],
            [left - gap - long, top],
            [left - long / 2, top - gap - 9],
            [left - long / 2, top + gap + 9],
        ];
        const boxes = corners
            .map(([start, level]) => [start - 2, level - 8, start + long + 2, level + 8])
            .filter((box) => box[0] >= 0 && box[2] <= this.width);
        const box = boxes.find((some) => this.isFree(some)) ?? (isNeeded ? (boxes[0] ?? null) : null);
        if (!box) return false;
        const [start, level] = [box[0] + 2, box[1] + 8];
        this.taken.push(box);
        context.textBaseline = 'middle';
        context.lineWidth = 4;
        context.lineJoin = 'round';
        context.strokeStyle = this.paper;
        context.strokeText(text, start, level);
        context.fillStyle = this.ink;
        context.fillText(text, start, level);
        return true;
    }
}
