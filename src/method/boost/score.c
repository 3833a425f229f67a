/* score.c - see score.h: what every quicker way has to agree with. */
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
