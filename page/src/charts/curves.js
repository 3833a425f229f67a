// charts/curves.js - how well near pairs are told from far ones: ROC and precision-recall curves.
import * as Plot from '@observablehq/plot';
import { numbers } from '../dom.js';
import { number } from '../format.js';
import { ACCENT, CHART, MUTED, figure } from './figure.js';

function curve(points, xLabel, yLabel, chance) {
    return (width) => {
        const side = Math.min(width, 400);
        return Plot.plot({
            ...CHART,
            width: side,
            height: side,
            marginLeft: 50,
            marginBottom: 42,
            marginTop: 10,
            x: { label: xLabel, domain: [0, 1], labelAnchor: 'center', labelArrow: 'none', ticks: 5, grid: true },
            y: { label: yLabel, domain: [0, 1], labelAnchor: 'center', labelArrow: 'none', ticks: 5, grid: true },
            marks: [
                Plot.line(chance, { stroke: MUTED, strokeDasharray: '4 4' }),
                Plot.areaY(points, { x: '0', y1: 0, y2: '1', fill: ACCENT, fillOpacity: 0.1 }), // y alone would be stacked where x repeats
                Plot.line(points, { x: '0', y: '1', stroke: ACCENT, strokeWidth: 2 }),
            ],
        });
    };
}

/** A few rows of a curve, evenly along it. */
function some(points, most = 21) {
    if (points.length <= most) return points;
    return Array.from({ length: most }, (_, k) => points[Math.round((k * (points.length - 1)) / (most - 1))]);
}

export function rocFigure(curves) {
    return figure({
        title: 'ROC curve',
        note: 'The farther above the dashed line of chance, the better.',
        label: 'ROC curve',
        draw: curve(curves.roc, 'share of far pairs called near', 'share of near pairs found', [[0, 0], [1, 1]]), // prettier-ignore
        rows: () => [['false_positive_rate', 'true_positive_rate'], ...curves.roc],
        table: numbers(
            ['false alarms', 'found'],
            some(curves.roc).map((point) => point.map((value) => number(value))),
        ),
    });
}

export function prFigure(curves) {
    const chance = curves.share_of_links;
    return figure({
        title: 'Precision and recall',
        note: `Of the pairs that are called near, how many are. Chance, dashed, is ${number(chance)}.`,
        label: 'Precision-recall curve',
        draw: curve(curves.pr, 'recall: share of near pairs found', 'precision', [[0, chance], [1, chance]]), // prettier-ignore
        rows: () => [['recall', 'precision'], ...curves.pr],
        table: numbers(
            ['recall', 'precision'],
            some(curves.pr).map((point) => point.map((value) => number(value))),
        ),
    });
}
