/* triplet_columns.c - which column of a list of triplets holds what, by the names in its header: anchor, near and far, or a, b and odd,
 * in any case; or the three that the spec names. A column called weight holds weights. All others are not used, and are listed. */
#include <string.h>

#include "io/pairs/pair_lines.h"

/* One of the columns that are looked for, and how often it is there. */
typedef struct wanted_column {
    const char *name;
    bool is_exact; /* a name that the spec gives; else it matches in any case */
    size_t n, cell, second_position;
} wanted_column;

static bool is_it(const wanted_column *wanted, const sm_csv_cell *cell) {
    if (!wanted->is_exact) return sm_header_is_word(cell->text, cell->n, wanted->name);
    return cell->n == strlen(wanted->name) && memcmp(cell->text, wanted->name, cell->n) == 0;
}

/* Finds them in the header. */
static smerf_status look_for(const sm_pair_lines *lines, wanted_column *wanted, size_t n) {
    sm_header_walk at;
    for (sm_header_start(lines, &at); sm_header_next(lines, &at);)
        for (size_t w = 0; w < n; w++) {
            if (!is_it(&wanted[w], &at.cell)) continue;
            if (wanted[w].n++ == 0)
                wanted[w].cell = at.c;
            else if (wanted[w].n == 2)
                wanted[w].second_position = at.cell.position;
        }
    return sm_header_end(&at);
}

static size_t count_there(const wanted_column *three) {
    size_t n = 0;
    for (size_t w = 0; w < SM_MOST_IDS; w++) n += three[w].n > 0;
    return n;
}

/* All three must be there, once. */
static smerf_status take_three(sm_pair_lines *lines, const wanted_column *three) {
    char shown[SM_QUOTE];
    for (size_t w = 0; w < SM_MOST_IDS; w++) {
        sm_quote(three[w].name, strlen(three[w].name), shown);
        if (three[w].n == 0)
            return sm_source_fail(&lines->source, 0, lines->error, "there is no column \"%s\"; the columns are %s",
                                  shown, lines->pairs.columns.unused);
        if (three[w].n > 1)
            return sm_source_fail(&lines->source, three[w].second_position, lines->error,
                                  "a second column is called \"%s\"; the names must be different", shown);
        lines->ids[w] = three[w].cell;
    }
    return SMERF_OK;
}

static smerf_status take_given_ids(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    wanted_column given[SM_MOST_IDS];
    for (size_t w = 0; w < SM_MOST_IDS; w++) given[w] = (wanted_column){.name = spec->id_columns[w], .is_exact = true};
    smerf_status status = look_for(lines, given, SM_MOST_IDS);
    return status == SMERF_OK ? take_three(lines, given) : status;
}

/* The names that are known. */
static smerf_status take_known_ids(sm_pair_lines *lines) {
    wanted_column known[2 * SM_MOST_IDS] = {{.name = "anchor"}, {.name = "near"}, {.name = "far"},
                                            {.name = "a"},      {.name = "b"},    {.name = "odd"}};
    wanted_column *of_anchors = known, *of_odd = known + SM_MOST_IDS;
    smerf_status status = look_for(lines, known, 2 * SM_MOST_IDS);
    if (status != SMERF_OK) return status;
    size_t n_of_anchors = count_there(of_anchors), n_of_odd = count_there(of_odd);
    if (n_of_anchors == SM_MOST_IDS && n_of_odd == SM_MOST_IDS)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "there are columns anchor, near, far and columns a, b, odd, and three are needed "
                              "(--triplet-columns A,B,C chooses those that are anchor, near and far)");
    lines->pairs.is_odd_one_out = n_of_odd == SM_MOST_IDS;
    if (lines->pairs.is_odd_one_out) return take_three(lines, of_odd);
    if (n_of_anchors > 0) return take_three(lines, of_anchors);
    return sm_source_fail(
        &lines->source, 0, lines->error,
        "the columns of triplets are called anchor, near and far, or a, b and odd (--triplet-columns A,B,C "
        "names others); these are %s",
        lines->pairs.columns.unused);
}

static smerf_status take_weight(sm_pair_lines *lines) {
    wanted_column weight = {.name = "weight"};
    smerf_status status = look_for(lines, &weight, 1);
    if (status != SMERF_OK || weight.n == 0) return status;
    for (size_t w = 0; w < SM_MOST_IDS; w++)
        if (lines->ids[w] == weight.cell) return SMERF_OK; /* the spec says that it is something else */
    if (weight.n > 1)
        return sm_source_fail(&lines->source, weight.second_position, lines->error,
                              "a second column is called \"weight\"; the names must be different");
    lines->weight = weight.cell;
    return SMERF_OK;
}

smerf_status sm_triplet_header_read(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    sm_csv_cell cell = {0};
    bool is_found = true;
    for (lines->n_cells = 0; !cell.ends_row; lines->n_cells++) {
        smerf_status status = sm_csv_next(&lines->csv, &cell, &is_found, lines->error);
        if (status != SMERF_OK) return status;
        if (!is_found)
            return sm_source_fail(&lines->source, 0, lines->error,
                                  "the file is empty: a header and triplets are needed");
    }
    smerf_status status = sm_header_note(lines); /* all of them, for messages */
    if (status == SMERF_OK) status = spec->id_columns[0] != NULL ? take_given_ids(lines, spec) : take_known_ids(lines);
    if (status == SMERF_OK) status = take_weight(lines);
    return status == SMERF_OK ? sm_header_note(lines) : status;
}
