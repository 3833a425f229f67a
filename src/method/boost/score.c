/* score.c - see score.h: what every quicker way has to agree with; and what each feature has in a score.
 *
 * In every tree a pair goes from the root to its leaf, and at each split the mean of the leaves below changes (by the pairs that were
 * learned from). The change belongs to the split's feature; what the roots have is the baseline. With logistic loss scores are no
 * distances: contributions are then multiplied by the one number that makes them add up to the distance less that of the baseline. */
#include "method/boost/score.h"

static bool is_number_of_items(const sm_boost_split *split, const sm_score_side *side) {
    return sm_are_numbers(&side->rows->numbers[split->feature]);
}

static double count_missing(const sm_boost_split *split, const sm_score_side *side, size_t row, size_t column) {
    return (side->rows->codes[split->feature][row] == SMERF_MISSING) +
           (side->columns->codes[split->feature][column] == SMERF_MISSING);
}

bool sm_boost_goes_left(const sm_boost *boost, const sm_boost_split *split, const sm_learned *learned,
                        const sm_score_side *side, size_t row, size_t column, double base) {
    const sm_pair_kind kind = (sm_pair_kind)split->kind;
    double value;
    if (kind == SM_PAIR_BASE) {
        value = base;
    } else if (split->set != SMERF_MISSING) {
        const uint8_t *level_bin = learned->level_bin + learned->first_level[split->feature];
        unsigned bin = sm_pair_bin(kind, level_bin, side->rows->codes[split->feature][row],
                                   side->columns->codes[split->feature][column]);
        return sm_set_has(boost->sets + (size_t)split->set * SM_SET_WORDS, bin);
    } else if (is_number_of_items(split, side)) {
        value = sm_pair_value(kind, sm_number_at(&side->rows->numbers[split->feature], row),
                              sm_number_at(&side->columns->numbers[split->feature], column));
    } else { /* SM_PAIR_N_MISSING */
        value = count_missing(split, side, row, column);
    }
    return isnan(value) ? split->missing_left : value <= split->threshold;
}

size_t sm_boost_leaf(const sm_boost *boost, size_t tree, const sm_learned *learned, const sm_score_side *side,
                     size_t row, size_t column, double base) {
    const sm_boost_split *splits = boost->splits + boost->first[tree];
    uint32_t at = 0;
    while ((at & SM_BOOST_LEAF) == 0)
        at = sm_boost_goes_left(boost, &splits[at], learned, side, row, column, base) ? splits[at].left
                                                                                      : splits[at].right;
    return at & ~SM_BOOST_LEAF;
}

double sm_boost_score(const sm_boost *boost, const sm_learned *learned, const sm_score_side *side, size_t row,
                      size_t column, double base) {
    double score = sm_boost_start(boost, learned, base);
    for (size_t t = 0; t < boost->n_trees; t++)
        score += sm_boost_leaves(boost, t)[sm_boost_leaf(boost, t, learned, side, row, column, base)];
    return score;
}

/* ---- what each feature has in it ---- */

/* What the base predicts is no feature: what belongs to it is handed to the caller apart. */
static void add_change(const sm_learned *learned, const sm_boost_split *split, double change,
                       sm_boost_account *account) {
    if (split->feature == learned->n_features)
        account->of_base += account->scale * change;
    else if (account->contributions != NULL)
        account->contributions[split->feature] += account->scale * change;
}

double sm_boost_explain(const sm_boost *boost, const sm_learned *learned, const sm_score_side *side, size_t row,
                        size_t column, sm_boost_account *account) {
    double baseline = sm_boost_start(boost, learned, account->base);
    for (size_t t = 0; t < boost->n_trees; t++) {
        const sm_boost_split *splits = boost->splits + boost->first[t];
        const double *mean = boost->mean + boost->first[t];
        uint32_t at = 0;
        baseline += mean[0];
        while ((at & SM_BOOST_LEAF) == 0) {
            const sm_boost_split *split = &splits[at];
            bool is_left = sm_boost_goes_left(boost, split, learned, side, row, column, account->base);
            uint32_t next = is_left ? split->left : split->right;
            double after = (next & SM_BOOST_LEAF) != 0 ? sm_boost_leaves(boost, t)[next & ~SM_BOOST_LEAF] : mean[next];
            add_change(learned, split, after - mean[at], account);
            at = next;
        }
    }
    return baseline;
}

double sm_boost_slope(const sm_learned *learned, double from, double to) {
    if (!learned->is_logistic) return 1;
    double before = sm_boost_distance(learned, from), after = sm_boost_distance(learned, to);
    return fabs(to - from) > 1e-9 ? (after - before) / (to - from) : before * (1 - before);
}

void sm_boost_importance(const sm_learned *learned, double *importance) {
    for (size_t s = 0; s < learned->all.n_splits; s++)
        if (learned->all.splits[s].feature < learned->n_features)
            importance[learned->all.splits[s].feature] += learned->all.gain[s];
}
