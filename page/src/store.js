// store.js - what the reader has chosen; every part of the page watches it.

/**
 * @typedef {object} Choice
 * @property {number | null} first the selected item
 * @property {number | null} second the item that it is compared with
 * @property {number | null} pointed the item under the pointer or the keyboard's cursor
 * @property {string} colouring what the map is coloured by
 * @property {string} labelling what stands beside the items
 * @property {number | null} isolated one colour of the legend, of which the items stand out
 * @property {string} theme "light" or "dark"
 * @property {boolean} isPrinting
 */

export class Store {
    /** @param {Choice} initial */
    constructor(initial) {
        this.now = initial;
        this.watchers = [];
    }

    /** @param {(now: Choice, changed: (name: keyof Choice) => boolean) => void} watcher */
    watch(watcher) {
        this.watchers.push(watcher);
    }

    /** @param {Partial<Choice>} patch */
    set(patch) {
        const before = this.now;
        const names = Object.keys(patch).filter((name) => before[name] !== patch[name]);
        if (names.length === 0) return;
        this.now = { ...before, ...patch };
        const changed = (name) => names.includes(name);
        for (const watcher of this.watchers) watcher(this.now, changed);
    }

    /** A click: the first item, then one to compare it with, then anew. The same item again lets go of it. */
    pick(item) {
        const { first, second } = this.now;
        if (first === null || second !== null) this.set({ first: item, second: null });
        else if (item === first) this.set({ first: null });
        else this.set({ second: item });
    }

    clear() {
        this.set({ first: null, second: null, pointed: null });
    }
}
