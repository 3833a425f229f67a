// map/labels.js - what stands beside the items of the map: their ids, or the values of any column.
import { number } from '../format.js';

export const FEW_IDS = 'few ids';
export const IDS = 'ids';
export const NOTHING = 'nothing';

/** What the map can be labelled by, in the order of the menu: [key, label]. */
export function labellings(report) {
    return [
        [FEW_IDS, 'id, if few'],
        [IDS, 'id'],
        [NOTHING, 'nothing'],
        ...report.columns.map((column, c) => [`column ${c}`, column.name]),
    ];
}

/** @returns {string} empty: none */
export function labelOf(report, key, item) {
    if (key === FEW_IDS || key === IDS) return report.ids[item];
    const column = report.columns[Number(key.replace('column ', ''))];
    const value = column ? report.value(column, item) : null;
    if (value === null || Number.isNaN(value)) return '';
    return typeof value === 'number' ? number(value, 4) : value;
}
