// sentences.js - what numbers mean, in plain words. Every sentence must be true of the numbers it is given.
import { count, counted, number, percent, score as asScore } from './format.js';

const METHODS = {
    smerf: 'a similarity and metric random forest',
    euclidean: 'the plain Euclidean distance',
    mahalanobis: 'a Mahalanobis distance',
    bilinear: 'a bilinear similarity',
    rfd: 'a random forest distance',
    plugin: 'a regression forest whose predictions are compared',
    epm: 'an edge partition model',
    narm: 'a node-attribute relational model',
};

const TARGETS = {
    distances: 'a matrix of their distances',
    labels: 'their labels (items of one label are near, others far)',
    response: 'their responses (the more two responses differ, the farther apart the items)',
    product: 'the products of their responses',
    absolute: 'the absolute differences of their responses',
    graph: 'a network of links between them (linked items are near)',
    observed: 'a network of links of which only some pairs are known',
    pairs: 'rated pairs of them',
};

export const SCORE_NAMES = {
    rmse: 'RMSE',
    spearman: 'Spearman correlation',
    'map@10': 'map@10',
    'auc-roc': 'AUC-ROC',
    'auc-pr': 'AUC-PR',
};

export const methodName = (method) => METHODS[method] ?? method;

/** What was learned, from what. */
export function whatWasLearned(model) {
    const features = model.n_features > 0 ? `${counted(model.n_features, 'feature')} and ` : '';
    if (model.method === 'euclidean') {
        return `How far apart ${counted(model.n_items, 'item')} are by the plain Euclidean distance of ${counted(model.n_features, 'feature')}; nothing was learned.`;
    }
    const target = TARGETS[model.target] ?? `a target of the kind "${model.target}"`;
    const columns = model.target_columns?.length > 0 ? `, from the column ${model.target_columns.join(', ')}` : '';
    const items = counted(model.n_items, 'item');
    if (model.method !== 'smerf') {
        return `${capital(methodName(model.method))} tells how far apart ${items} are; it was learned from ${features}${target}${columns}.`;
    }
    return `A forest of ${counted(model.n_trees, 'tree')} learned how far apart ${items} are, from ${features}${target}${columns}.`;
}

/** How well, in one sentence for the head of the page; null: not scored. */
export function howWell(scores, target) {
    if (!scores) return null;
    const value = Object.fromEntries((scores.list ?? []).map((score) => [score.name, score.value]));
    const where = scores.kind === 'out of bag' ? 'On pairs that the trees had not seen' : 'On the given target';
    if (value['auc-roc'] != null) {
        const [near, far] = nearAndFar(target);
        return `${where}, ${near} is predicted nearer than ${far} ${timesInHundred(value['auc-roc'])}.`;
    }
    if (value.spearman != null) {
        return `${where}, the predicted order of the others around an item agrees with the true order to ${asScore(value.spearman)}, where 1 is perfect and 0 is chance.${worseNote(value.rmse, scores)}`;
    }
    if (value.rmse != null)
        return `${where}, a predicted distance is off by ${number(value.rmse)} (root mean square).${worseNote(value.rmse, scores)}`;
    return null;
}

const worseNote = (rmse, scores) =>
    isWorseThanGuessing(rmse, scores)
        ? ' The distances themselves are farther from the truth than their mean would be, guessed every time.'
        : '';

const nearAndFar = (target) =>
    target === 'labels' ? ['a pair of one label', 'a pair of two labels'] : ['a linked pair', 'an unlinked one'];

const timesInHundred = (auc) => {
    const times = 100 * auc;
    return times > 99 && times < 100 ? `${number(times, 4)} times in 100` : `${Math.round(times)} times in 100`;
};

/** What one score says. */
export function scoreSentence(score, scores, { target, shareOfLinks }) {
    const { value } = score;
    if (value == null || Number.isNaN(value)) return 'It has no value here.';
    const [near, far] = nearAndFar(target);
    switch (score.name) {
        case 'rmse':
            return rmseSentence(value, scores);
        case 'spearman':
            return `For an average item, the predicted order of all others agrees with the true order: ${asScore(value)}, where 1 is perfect and 0 is chance.${tiesNote(target)}`;
        case 'map@10':
            return `How near the top of an item\u2019s predicted ranking its ten truly nearest others stand: ${asScore(value)}, where 1 means that they are the first ten${chanceNote(scores.n_items)}.${tiesNote(target)}`;
        case 'auc-roc':
            return `${capital(near)} is predicted nearer than ${far} ${timesInHundred(value)}; chance would give 50.`;
        case 'auc-pr':
            return `Going through the pairs from the nearest predicted one, the mean precision is ${asScore(value)}${shareOfLinks != null ? `; chance would give ${number(shareOfLinks)}, the share of ${target === 'labels' ? 'such pairs' : 'links'}` : ''}.`;
        default:
            return `${score.name} is ${number(value)}.`;
    }
}

/** Beyond rounding: the numbers that are shown differ. */
const isWorseThanGuessing = (rmse, scores) => rmse > scores?.sd && scores.sd > 0 && number(rmse) !== number(scores.sd);

function rmseSentence(value, scores) {
    const off = `A predicted distance is typically off by ${number(value)}`;
    if (!(scores.sd > 0)) return `${off}.`;
    const guess = `guessing the mean distance every time would be off by ${number(scores.sd)}`;
    const rest = (value / scores.sd) ** 2;
    if (isWorseThanGuessing(value, scores)) {
        return `${off}. That is worse than guessing: ${guess} only, so none of the variance of the distances is explained.`;
    }
    if (rest >= 1) return `${off}; ${guess}: no better and no worse.`;
    return `${off}; ${guess}. So ${percent(1 - rest)} of the variance of the distances is explained.`;
}

const chanceNote = (nItems) => (nItems > 11 ? `, and chance would give about ${number(chanceOfMap(nItems), 2)}` : '');

/** Links and labels know only near and far. */
export const isTwoValued = (target) => ['labels', 'graph', 'observed'].includes(target);
const tiesNote = (target) =>
    isTwoValued(target)
        ? ' True distances that are only near or far leave the order among the near ones open, so this can be low where near and far are told apart well.'
        : '';

/** What map@10 is on average if the ranking is drawn at random: E[AP] of 10 relevant among n - 1. */
export function chanceOfMap(nItems) {
    const total = nItems - 1;
    const relevant = Math.min(10, total);
    let harmonic = 0;
    for (let r = 1; r <= total; r++) harmonic += 1 / r;
    return total <= 1 ? 1 : (harmonic + ((relevant - 1) / (total - 1)) * (total - harmonic)) / total;
}

/**
 * Whether more trees would help. With a limit (what the score would be with any number of trees) by how far it is away; else from the
 * last doubling of their number, which out of bag can look better than it is: each pair is predicted by only some of the trees.
 */
export function growthSentence(metric, { trees, kind }) {
    const known = trees
        .map((n, k) => [n, metric.values[k]])
        .filter(([, value]) => value != null && !Number.isNaN(value));
    const name = scoreName(metric.name);
    if (known.length < 2) return `${name}: too few points to tell.`;
    const [last, value] = known[known.length - 1];
    const isError = metric.name === 'rmse';
    const toldOf = (gain, before) => isError ? percent(Math.abs(gain) / Math.abs(before || 1), 0) : number(Math.abs(gain), 2); // prettier-ignore
    if (metric.limit != null) {
        const gain = isError ? value - metric.limit : metric.limit - value;
        const verdict = verdictOf(isError ? gain / Math.abs(value || 1) : gain, isError, 'would');
        return `With ${counted(last, 'tree')} it is ${number(value, 4)}; with any number of trees it would be about ${number(metric.limit, 4)}, dashed: ${verdict}`;
    }
    const [half, before] = known
        .slice(0, -1)
        .reduce((best, point) => (Math.abs(point[0] - last / 2) < Math.abs(best[0] - last / 2) ? point : best));
    const gain = isError ? before - value : value - before;
    const perDoubling = (isError ? gain / Math.abs(before || 1) : gain) / Math.max(Math.log2(last / half), 0.1);
    const verb =
        value === before
            ? 'did not change'
            : `${value > before ? 'rose' : 'fell'} by ${toldOf(value - before, before)}`;
    const isOutOfBag = kind !== 'given target';
    const verdict = verdictOf(perDoubling, isError, isOutOfBag ? 'may' : 'would');
    const caution =
        isOutOfBag && !verdict.includes('hardly')
            ? ' Out of bag a pair is predicted by only some of the trees: for new items the gain should be smaller.'
            : '';
    return `From ${count(half)} to ${counted(last, 'tree')}, ${name} ${verb}: ${verdict}${caution}`;
}

function verdictOf(gain, isError, verb) {
    if (gain > (isError ? 0.02 : 0.01)) return `more trees ${verb} help.`;
    if (gain > (isError ? 0.005 : 0.0025)) return `more trees ${verb} help a little.`;
    return 'more trees would hardly help.';
}

export const scoreName = (name) => SCORE_NAMES[name] ?? name;

/** What was scored. */
export function scoredSentence(scores) {
    const items = scores.n_items != null ? ` of ${counted(scores.n_items, 'item')}` : '';
    const pairs = scores.n_pairs != null ? `, over ${counted(scores.n_pairs, 'pair')}${items}` : '';
    return scores.kind === 'out of bag'
        ? `Out of bag${pairs}: each pair is predicted only by trees that have not seen it, so the scores tell what was learned and not what was memorised.`
        : `Predictions against the target that was given with the report${pairs}.`;
}

/** How far the map can be trusted. */
export function mapSentence(map, n) {
    const parts = [];
    if (map.share != null) {
        parts.push(
            `The two directions drawn hold ${percent(map.share)} of what the distances tell (share of the eigenvalues).`,
        );
    }
    if (map.stress != null) {
        const verdict =
            map.stress < 0.1
                ? 'so the picture can be trusted'
                : map.stress < 0.25
                  ? 'so it is right in the large and rough in the small'
                  : 'so trust the lists of neighbours more than the picture';
        parts.push(`Kruskal\u2019s stress is ${number(map.stress, 2)} (0 would be exact), ${verdict}.`);
    }
    if (map.n_landmarks < n) {
        parts.push(
            `${count(map.n_landmarks)} landmarks were scaled; the other items are placed by their distances to them.`,
        );
    }
    return parts.join(' ');
}

/** Where items are not drawn as the map has them. */
export function layoutSentence({ kind, factor, nBeyond }) {
    if (kind === 'line') {
        return 'The items lie on a line: only left and right means something. Up and down they are spread so that all can be seen; the shade is as high as there are many.';
    }
    if (kind === 'plane') return null;
    const beyond =
        nBeyond > 0
            ? ` ${counted(nBeyond, 'item that lies', 'items that lie')} farther out ${nBeyond === 1 ? 'is' : 'are'} drawn at the upper or lower edge.`
            : '';
    return `Items differ little up and down, so that direction is drawn ${number(factor, 2)} times as large as left and right.${beyond}`;
}

/** What the mean silhouette says of clusters. */
export function clusterSentence(clusters) {
    const how = clusters.by === 'means' ? 'k-means in the forest\u2019s Euclidean view' : 'k-medoids';
    const chosen = clusters.chosen
        ? `${counted(clusters.k, 'cluster')} by ${how}, the number with the largest mean silhouette${triedNote(clusters)}`
        : `${counted(clusters.k, 'cluster')} by ${how}, as many as were asked for`;
    if (clusters.silhouette == null) return `${chosen}.`;
    const s = clusters.silhouette;
    const verdict =
        s > 0.7
            ? 'clearly apart'
            : s > 0.5
              ? 'fairly well apart'
              : s > 0.25
                ? 'apart, with many items between them'
                : 'hardly apart: read them as parts of a whole';
    return `${chosen}. Their mean silhouette is ${number(s, 2)} (1 would be perfect, 0 no clusters at all): they are ${verdict}.`;
}

/** Which numbers were tried; a largest one that wins may not be the best there is. */
function triedNote({ k, tried }) {
    const numbers = (tried ?? []).map(([number]) => number);
    if (numbers.length < 2) return '';
    const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
    const cap = k === most ? `, and ${count(most)} is the most that were tried: more may fit better` : '';
    return ` of ${count(least)} to ${count(most)}${cap}`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
