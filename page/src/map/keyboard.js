// map/keyboard.js - the map without a mouse: arrows go from item to item, Enter selects, + and - zoom.
import { isPlaced } from './view.js';

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * The nearest item in a direction: steps to the side count more than steps along it, and within 60 degrees only.
 * @param {{x: ArrayLike<number>, y: ArrayLike<number>}} map
 * @param {number[]} items
 */
export function neighborTowards(map, items, from, [dx, dy]) {
    let best = null;
    let least = Infinity;
    for (const item of items) {
        const x = map.x[item] - map.x[from];
        const y = map.y[item] - map.y[from];
        const along = x * dx + y * dy;
        const aside = Math.abs(x * dy - y * dx);
        if (along <= 0 || aside > 1.75 * along) continue;
        const cost = along + 2 * aside;
        if (cost < least) [best, least] = [item, cost];
    }
    return best;
}

/** @param {import('./view.js').MapView} view */
export function listenToKeys(view) {
    const { store, element } = view;
    element.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const direction = DIRECTIONS[event.key];
        if (direction && event.shiftKey) view.panBy(-60 * direction[0], 60 * direction[1]);
        else if (direction) step(view, direction);
        else if (event.key === 'Enter' || event.key === ' ') {
            if (store.now.pointed !== null) store.pick(store.now.pointed);
        } else if (event.key === 'Escape') store.clear();
        else if (event.key === '+' || event.key === '=') view.zoomBy(1.5);
        else if (event.key === '-' || event.key === '_') view.zoomBy(1 / 1.5);
        else if (event.key === '0') view.showAll();
        else return;
        event.preventDefault();
    });
}

function step(view, direction) {
    const { pointed, second, first } = view.store.now;
    const from = pointed ?? second ?? first;
    const next =
        from === null || !isPlaced(view.report.map, from)
            ? middleItem(view)
            : neighborTowards(view.layout, view.places, from, direction);
    if (next === null) return;
    view.bringIntoView(next);
    view.store.set({ pointed: next });
}

function middleItem(view) {
    const { scale, shiftX, shiftY } = view.frame();
    const x = (view.size.width / 2 - shiftX) / scale;
    const y = (shiftY - view.size.height / 2) / scale;
    return view.tree.find(x, y) ?? null;
}
