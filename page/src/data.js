// data.js - what `smerf report` wrote (FORMAT.md), unpacked and ready to be asked.

const TYPES = { f32: Float32Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };
export const MISSING = 0xffffffff;

/**
 * @typedef {{type: string, data: string} | number[]} Packed
 * @typedef {{item: number, distance: number}} Neighbor
 * @typedef {{name: string, role: string, kind: 'number', values: Float32Array}} NumberColumn
 * @typedef {{name: string, role: string, kind: 'category', levels: string[], codes: Uint32Array}} CategoryColumn
 * @typedef {NumberColumn | CategoryColumn} Column
 * @typedef {{left: number, right: number, baseline: number, distance: number, rest: number, nOthers: number,
 *            shares: {feature: string, share: number}[]}} Explanation
 */

/**
 * Numbers from base64, little-endian as every browser's own arrays are.
 * @param {Packed} packed
 */
export function unpack(packed) {
    if (Array.isArray(packed)) return Float32Array.from(packed, (value) => value ?? NaN);
    const text = atob(packed.data);
    const bytes = new Uint8Array(text.length);
    for (let b = 0; b < text.length; b++) bytes[b] = text.charCodeAt(b);
    const Type = TYPES[packed.type];
    if (!Type) throw new Error(`numbers of an unknown type: ${packed.type}`);
    return new Type(bytes.buffer);
}

/** All that the page knows. Sections that are absent are null. */
export class Report {
    constructor(raw) {
        if (raw.format !== 1) throw new Error(`a report of format ${raw.format}; this page reads format 1`);
        this.raw = raw;
        this.n = raw.items.n;
        /** @type {string[]} */
        this.ids = raw.items.ids;
        /** @type {Column[]} */
        this.columns = (raw.items.columns ?? []).map(unpackColumn);
        this.map = raw.map ? { ...raw.map, x: unpack(raw.map.x), y: unpack(raw.map.y) } : null;
        this.clusters = raw.clusters ? unpackClusters(raw.clusters) : null;
        this.heat = raw.heat ? { items: raw.heat.items, distance: unpack(raw.heat.distance) } : null;
        this.fit = raw.fit ? { ...raw.fit, counts: unpack(raw.fit.counts) } : null;
        this.nearest = raw.neighbors ? unpackNeighbors(raw.neighbors) : null;
        this.accounts = raw.explanations ? unpackExplanations(raw.explanations, this.n) : null;
    }

    /** Why a section is not there, if the model's side said so. */
    reason(section) {
        return this.raw.absent?.[section] ?? null;
    }

    /** @returns {Neighbor[]} nearest first */
    neighbors(item) {
        const found = [];
        for (let r = 0; this.nearest && r < this.nearest.k; r++) {
            const other = this.nearest.item[item * this.nearest.k + r];
            if (other < this.n) found.push({ item: other, distance: this.nearest.distance[item * this.nearest.k + r] });
        }
        return found;
    }

    /** @returns {Explanation | null} null: not stored */
    explanation(one, other) {
        const place = this.accounts?.places.get(pairKey(one, other, this.n));
        return place === undefined ? null : explanationAt(this.accounts, place);
    }

    /** The predicted distance of two items if any section has it, else null. */
    distance(one, other) {
        if (one === other) return null;
        const told = this.explanation(one, other);
        if (told) return told.distance;
        const near =
            this.neighbors(one).find((found) => found.item === other) ??
            this.neighbors(other).find((found) => found.item === one);
        return near ? near.distance : null;
    }

    /** A column's value of one item, as text. */
    value(column, item) {
        if (column.kind === 'number') return column.values[item];
        const code = column.codes[item];
        return code < column.levels.length ? column.levels[code] : null;
    }
}

function unpackColumn(column) {
    if (column.kind === 'number') return { ...column, values: unpack(column.values) };
    return { ...column, codes: unpack(column.codes) };
}

function unpackClusters(raw) {
    return { ...raw, of: unpack(raw.of), silhouettes: raw.silhouettes ? unpack(raw.silhouettes) : null };
}

function unpackNeighbors(raw) {
    return { k: raw.k, item: unpack(raw.item), distance: unpack(raw.distance) };
}

function unpackExplanations(raw, n) {
    const told = { nShown: raw.n_shown, nSampled: raw.n_sampled, features: raw.features, places: new Map() };
    for (const name of ['left', 'right', 'baseline', 'distance', 'feature', 'share', 'rest'])
        told[name] = unpack(raw[name]);
    for (let p = 0; p < told.left.length; p++) told.places.set(pairKey(told.left[p], told.right[p], n), p);
    return told;
}

const pairKey = (one, other, n) => Math.min(one, other) * n + Math.max(one, other);

/** @returns {Explanation} */
function explanationAt(told, place) {
    const shares = [];
    for (let s = 0; s < told.nShown; s++) {
        const feature = told.feature[place * told.nShown + s];
        if (feature < told.features.length) {
            shares.push({ feature: told.features[feature], share: told.share[place * told.nShown + s] });
        }
    }
    return {
        left: told.left[place],
        right: told.right[place],
        baseline: told.baseline[place],
        distance: told.distance[place],
        rest: told.rest[place],
        nOthers: told.features.length - shares.length,
        shares,
    };
}
