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
            return rmseSentence(value, scores) + ceilingNote(scores, 'rmse');
        case 'spearman':
            return `For an average item, the predicted order of all others agrees with the true order: ${asScore(value)}, where 1 is perfect and 0 is chance.${tiesNote(target)}${ceilingNote(scores, 'spearman')}`;
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

/** What judges who differ leave to be predicted. */
function ceilingNote({ ceiling }, name) {
    const best = ceiling?.[name];
    if (best == null) return '';
    return name === 'rmse'
        ? ` The judges differ among themselves: even a perfect prediction of what they have in common would be off by about ${number(best)}.`
        : ` The judges differ among themselves: even a perfect prediction of what they have in common would have about ${asScore(best)}.`;
}

/** How well the response itself is predicted. */
export function responseSentence({ r_squared, n_items, kind }) {
    const whose = `of ${counted(n_items, 'item')}${kind === 'out of bag' ? ', by trees that have not seen the item' : ''}`;
    if (r_squared == null) return `The response ${whose} does not vary.`;
    if (r_squared <= 0) return `The response itself, ${whose}, is predicted no better than by its mean.`;
    return `Of the response itself, ${whose}, ${percent(r_squared)} of the variance is predicted.`;
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

/** What all trees have in one score, and what any number of them would; null where it is not known. */
function endsOf(metric) {
    const value = metric.with_all ?? metric.values[metric.values.length - 1];
    if (metric.limit == null || value == null) return null;
    const isError = metric.name === 'rmse';
    const gain = isError ? (value - metric.limit) / Math.abs(value || 1) : metric.limit - value;
    return { value, limit: metric.limit, gain, isError };
}

/**
 * Whether more trees would help, for the whole section: by the squared error, of which it is known what the trees have to do with it.
 */
export function growthVerdict({ metrics, trees }) {
    const rmse = metrics.find((metric) => metric.name === 'rmse');
    const ends = rmse && endsOf(rmse);
    if (!ends) return 'Whether more trees would help cannot be told from these.';
    const last = trees[trees.length - 1];
    const less =
        ends.gain > 0 ? `would lower the error of a new pair by ${percent(ends.gain)}` : 'would lower no error';
    return `${capital(verdictOf(ends.gain, true))} After ${counted(last, 'tree')}, any number of others ${less}.`;
}

/** How one score changes with the number of trees, and where that ends. */
export function growthSentence(metric, { trees, predicting }) {
    const known = trees
        .map((n, k) => [n, metric.values[k], predicting?.[k] ?? n])
        .filter(([, value]) => value != null && !Number.isNaN(value));
    const name = scoreName(metric.name);
    if (known.length < 2) return `${name}: too few points to tell.`;
    const [last, value, nPredicting] = known[known.length - 1];
    const part =
        metric.with_all === undefined
            ? `With ${counted(last, 'tree')} it is ${number(value, 4)}`
            : `Out of bag a pair is predicted by about ${number(nPredicting, 2)} of the ${counted(last, 'tree')}: ${number(value, 4)}`;
    const ends = endsOf(metric);
    if (!ends) return `${part}; where it would end cannot be told from so few.`;
    const all =
        metric.with_all == null ? '' : `; for new items, by all of them, about ${number(ends.value, 4)}, the ring`;
    return `${part}${all}; with any number of trees about ${number(ends.limit, 4)}, dashed: ${verdictOf(ends.gain, ends.isError)}`;
}

function verdictOf(gain, isError) {
    if (gain > (isError ? 0.02 : 0.01)) return 'more trees would help.';
    if (gain > (isError ? 0.005 : 0.0025)) return 'more trees would help a little.';
    return 'more trees would hardly help.';
}

export const scoreName = (name) => SCORE_NAMES[name] ?? name;

/** What was scored. */
export function scoredSentence(scores) {
    const items = scores.n_items != null ? ` of ${counted(scores.n_items, 'item')}` : '';
    const rated = scores.ceiling ? ` Each pair was rated by ${judges(scores.ceiling.judges)}.` : '';
    const pairs = scores.n_pairs != null ? `, over ${counted(scores.n_pairs, 'pair')}${items}` : '';
    return scores.kind === 'out of bag'
        ? `Out of bag${pairs}: each pair is predicted only by trees that have not seen it, so the scores tell what was learned and not what was memorised.${rated}`
        : `Predictions against the target that was given with the report${pairs}.${rated}`;
}

const judges = ([fewest, most]) =>
    fewest === most ? counted(most, 'judge') : `${count(fewest)} to ${counted(most, 'judge')}`;

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
