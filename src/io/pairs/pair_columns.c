/* pair_columns.c - which column of a list of pairs holds what, by the names in its header: see pairs.h.
 *   1. those that the spec names
 *   2. those whose names are known, such as distance and weight
 *   3. the ids: the first two of the others
 *   4. what is left is not used, and is listed so that the reader of a message can see that */
#include <stdio.h>
#include <string.h>

#include "io/pairs/pair_lines.h"

/* ---- The header, name by name ---- */

void sm_header_start(const sm_pair_lines *lines, sm_header_walk *at) {
    *at = (sm_header_walk){.c = SIZE_MAX};
    sm_csv_start(&at->csv, &lines->source);
}

bool sm_header_next(const sm_pair_lines *lines, sm_header_walk *at) {
    bool is_found = false;
    if (++at->c < lines->n_cells) at->status = sm_csv_next(&at->csv, &at->cell, &is_found, lines->error);
    return at->status == SMERF_OK && is_found;
}

smerf_status sm_header_end(sm_header_walk *at) {
    sm_csv_stop(&at->csv);
    return at->status;
}

bool sm_header_is_nameless(const sm_csv_cell *cell) {
    for (size_t k = 0; k < cell->n; k++)
        if (cell->text[k] != ' ') return false;
    return true;
}

static const char nameless[] = "(no name)";

/* How a message calls a column. */
static const char *show_name(const sm_csv_cell *cell, char shown[SM_QUOTE]) {
    return sm_header_is_nameless(cell) ? strcpy(shown, nameless) : sm_quote(cell->text, cell->n, shown);
}

/* ---- Names that mean something ---- */

/* The first four are given by a spec, and match as they are; the others match in any case. */
typedef enum meaning {
    FIRST_ID,
    SECOND_ID,
    JUDGE,
    VALUE,
    DISTANCE,
    DISSIMILARITY,
    SIMILARITY,
    WEIGHT,
    SOURCE,
    TARGET,
    N_MEANINGS
} meaning;

static const char *const known_names[N_MEANINGS] = {[DISTANCE] = "distance",     [DISSIMILARITY] = "dissimilarity",
                                                    [SIMILARITY] = "similarity", [WEIGHT] = "weight",
                                                    [SOURCE] = "source",         [TARGET] = "target"};

bool sm_header_is_word(const char *text, size_t n, const char *lower_case) {
    if (n != strlen(lower_case)) return false;
    for (size_t k = 0; k < n; k++)
        if ((text[k] >= 'A' && text[k] <= 'Z' ? text[k] + ('a' - 'A') : text[k]) != lower_case[k]) return false;
    return true;
}

/* The first cell of each name, and the next with the same name; SM_NO_CELL: there is none. */
typedef struct named_cells {
    const char *name[N_MEANINGS];
    size_t first[N_MEANINGS], second[N_MEANINGS], second_position[N_MEANINGS];
} named_cells;

static bool has_name(const sm_csv_cell *cell, const char *name, meaning m) {
    if (name == NULL) return false;
    if (m >= DISTANCE) return sm_header_is_word(cell->text, cell->n, name);
    return cell->n == strlen(name) && memcmp(cell->text, name, cell->n) == 0;
}

static smerf_status look_for_names(const sm_pair_lines *lines, const sm_pairs_spec *spec, named_cells *found) {
    sm_header_walk at;
    for (size_t m = 0; m < N_MEANINGS; m++) {
        found->name[m] = known_names[m];
        found->first[m] = found->second[m] = SM_NO_CELL;
    }
    found->name[FIRST_ID] = spec->id_columns[0];
    found->name[SECOND_ID] = spec->id_columns[1];
    found->name[JUDGE] = spec->judge_column;
    found->name[VALUE] = spec->value_column;
    for (sm_header_start(lines, &at); sm_header_next(lines, &at);)
        for (unsigned m = 0; m < N_MEANINGS; m++) {
            if (!has_name(&at.cell, found->name[m], (meaning)m)) continue;
            if (found->first[m] == SM_NO_CELL) {
                found->first[m] = at.c;
            } else if (found->second[m] == SM_NO_CELL) {
                found->second[m] = at.c;
                found->second_position[m] = at.cell.position;
            }
        }
    return sm_header_end(&at);
}

static bool is_taken(const sm_pair_lines *lines, size_t c) {
    return c == lines->ids[0] || c == lines->ids[1] || c == lines->value || c == lines->weight || c == lines->judge;
}

/* The one cell of this name that is not yet taken for something else, or SM_NO_CELL. */
static smerf_status pick_named(const sm_pair_lines *lines, const named_cells *found, meaning m, size_t *cell) {
    size_t first = found->first[m], second = found->second[m];
    bool has_first = first != SM_NO_CELL && !is_taken(lines, first);
    bool has_second = second != SM_NO_CELL && !is_taken(lines, second);
    char shown[SM_QUOTE];
    if (has_first && has_second)
        return sm_source_fail(&lines->source, found->second_position[m], lines->error,
                              "a second column is called \"%s\"; the names must be different",
                              sm_quote(found->name[m], strlen(found->name[m]), shown));
    *cell = has_first ? first : has_second ? second : SM_NO_CELL;
    return SMERF_OK;
}

/* A column that the spec names: it must be there, and can be one thing only. */
static smerf_status take_given(const sm_pair_lines *lines, const named_cells *found, meaning m, size_t *cell) {
    char shown[SM_QUOTE];
    if (found->name[m] == NULL) return SMERF_OK;
    smerf_status status = pick_named(lines, found, m, cell);
    if (status != SMERF_OK || *cell != SM_NO_CELL) return status;
    return sm_source_fail(&lines->source, 0, lines->error,
                          found->first[m] == SM_NO_CELL ? "there is no column \"%s\"; the columns are %s"
                                                        : "column \"%s\" can be one thing only; the columns are %s",
                          sm_quote(found->name[m], strlen(found->name[m]), shown), lines->pairs.columns.unused);
}

/* ---- What is used, and what is not ---- */

static void append_name(char *list, size_t size, const char *name) {
    static const char more[] = ", ...";
    size_t used = strlen(list), needed = used + strlen(name) + 2;
    if (needed + sizeof more <= size)
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    else if (used + sizeof more <= size && (used < 3 || strcmp(list + used - 3, "...") != 0))
        snprintf(list + used, size - used, more);
}

static void note_name(sm_pair_lines *lines, size_t c, const char *name) {
    sm_pair_columns *columns = &lines->pairs.columns;
    char *to = c == lines->ids[0]   ? columns->ids[0]
               : c == lines->ids[1] ? columns->ids[1]
               : c == lines->ids[2] ? columns->ids[2]
               : c == lines->value  ? columns->value
               : c == lines->weight ? columns->weight
               : c == lines->judge  ? columns->judge
                                    : NULL;
    if (to != NULL)
        strcpy(to, name);
    else
        append_name(columns->unused, sizeof columns->unused, name);
}

smerf_status sm_header_note(sm_pair_lines *lines) {
    sm_header_walk at;
    char shown[SM_QUOTE];
    lines->pairs.columns = (sm_pair_columns){0};
    for (sm_header_start(lines, &at); sm_header_next(lines, &at);) note_name(lines, at.c, show_name(&at.cell, shown));
    return sm_header_end(&at);
}

/* Row numbers, which have no name or are called id, are no weights. */
static bool may_be_weight(const sm_pair_lines *lines, const sm_header_walk *at) {
    return !is_taken(lines, at->c) && !sm_header_is_nameless(&at->cell) &&
           !sm_header_is_word(at->cell.text, at->cell.n, "id");
}

/* Notes the first column that is not used and holds a number in the line below the header. */
static smerf_status note_other_number(sm_pair_lines *lines) {
    sm_header_walk at;
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true, is_done = false;
    smerf_status status = SMERF_OK;
    double number;
    sm_csv_start(&csv, &lines->source);
    for (size_t c = 0; c < lines->n_cells && status == SMERF_OK; c++)
        status = sm_csv_next(&csv, &cell, &is_found, NULL);
    for (sm_header_start(lines, &at); status == SMERF_OK && is_found && !is_done && sm_header_next(lines, &at);) {
        status = sm_csv_next(&csv, &cell, &is_found, NULL);
        if (status != SMERF_OK || !is_found || !may_be_weight(lines, &at)) continue;
        is_done = sm_number_parse(cell.text, cell.n, &number) == SM_CELL_NUMBER;
        if (is_done) sm_quote(at.cell.text, at.cell.n, lines->pairs.columns.other_number);
    }
    sm_csv_stop(&csv);
    if (sm_header_end(&at) != SMERF_OK) return at.status;
    /* Whatever else is wrong with the line is said when it is read. */
    return status == SMERF_NO_MEMORY ? sm_no_memory(lines->error, "reading pairs") : SMERF_OK;
}

/* ---- Ids ---- */

static bool is_name_of_numbers(const named_cells *found, size_t c) {
    for (size_t m = DISTANCE; m <= WEIGHT; m++)
        if (c == found->first[m] || c == found->second[m]) return true;
    return false;
}

/* The first two columns that may be ids; one without a name, such as R's row names, only if there are no others. */
static smerf_status choose_ids(sm_pair_lines *lines, const named_cells *found) {
    size_t any[2], n_any = 0, named[2], n_named = 0;
    sm_header_walk at;
    for (sm_header_start(lines, &at); sm_header_next(lines, &at);) {
        if (is_taken(lines, at.c) || is_name_of_numbers(found, at.c)) continue;
        if (n_any < 2) any[n_any++] = at.c;
        if (n_named < 2 && !sm_header_is_nameless(&at.cell)) named[n_named++] = at.c;
    }
    smerf_status status = sm_header_end(&at);
    if (status != SMERF_OK) return status;
    if (n_any < 2)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "%s column that may hold ids, and two are needed (--pair-columns A,B names them)",
                              n_any == 0 ? "no" : "one");
    memcpy(lines->ids, n_named == 2 ? named : any, sizeof any);
    return SMERF_OK;
}

static smerf_status take_ids(sm_pair_lines *lines, const named_cells *found, sm_pair_content content) {
    size_t source = SM_NO_CELL, target = SM_NO_CELL;
    smerf_status status = SMERF_OK;
    if (found->name[FIRST_ID] != NULL) return SMERF_OK; /* taken before */
    if (content == SM_EDGES) status = pick_named(lines, found, SOURCE, &source);
    if (content == SM_EDGES && status == SMERF_OK) status = pick_named(lines, found, TARGET, &target);
    if (status != SMERF_OK || source == SM_NO_CELL || target == SM_NO_CELL)
        return status == SMERF_OK ? choose_ids(lines, found) : status;
    lines->ids[0] = source;
    lines->ids[1] = target;
    return SMERF_OK;
}

/* ---- Values ---- */

/* The column that is called by what it holds. */
static smerf_status take_known_value(sm_pair_lines *lines, const named_cells *found) {
    size_t cell = SM_NO_CELL, value = SM_NO_CELL;
    smerf_status status = SMERF_OK;
    for (unsigned m = DISTANCE; m <= SIMILARITY && status == SMERF_OK; m++) {
        status = pick_named(lines, found, (meaning)m, &cell);
        if (status != SMERF_OK || cell == SM_NO_CELL) continue;
        if (value != SM_NO_CELL)
            return sm_source_fail(&lines->source, 0, lines->error,
                                  "there are columns %s and %s, and one is needed (--value COLUMN chooses one)",
                                  lines->pairs.are_similarities          ? "similarity"
                                  : value == found->first[DISSIMILARITY] ? "dissimilarity"
                                                                         : "distance",
                                  found->name[m]);
        value = cell;
        lines->pairs.are_similarities = m == SIMILARITY;
    }
    if (status == SMERF_OK) lines->value = value;
    return status;
}

/* Without a name that is known: nobody but the user knows whether large numbers are far or near. A column without a name, such as
 * R's row names, is one only if there is no other. */
static smerf_status take_other_value(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    size_t n_named = 0, other = SM_NO_CELL;
    const char *names = lines->pairs.columns.unused;
    char name[SM_QUOTE] = "";
    sm_header_walk at;
    for (sm_header_start(lines, &at); sm_header_next(lines, &at);) {
        bool has_name = !sm_header_is_nameless(&at.cell), is_first = has_name ? n_named == 0 : other == SM_NO_CELL;
        if (is_taken(lines, at.c)) continue;
        n_named += has_name;
        if (!is_first) continue;
        other = at.c;
        show_name(&at.cell, name);
    }
    if (sm_header_end(&at) != SMERF_OK) return at.status;
    if (other == SM_NO_CELL)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "there is no column with numbers: each pair needs a distance or a similarity");
    if (n_named > 1)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "of the columns %s none is called distance, dissimilarity or similarity: "
                              "--value COLUMN --value-is distance (or similarity) says which holds what",
                              names);
    if (spec->value_kind == SM_BY_ITS_NAME && n_named == 0)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "the column beside the ids has no name: call it distance or similarity");
    if (spec->value_kind == SM_BY_ITS_NAME)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "column %s beside the ids is not called distance, dissimilarity or similarity: "
                              "--value %s --value-is distance (or similarity) says what it holds",
                              name, name);
    lines->value = other;
    return sm_header_note(lines);
}

/* What a value_column of the spec holds. */
static smerf_status check_given_value(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    const char *name = spec->value_column;
    char shown[SM_QUOTE];
    size_t n = strlen(name);
    lines->pairs.are_similarities = sm_header_is_word(name, n, known_names[SIMILARITY]);
    if (spec->value_kind != SM_BY_ITS_NAME || lines->pairs.are_similarities ||
        sm_header_is_word(name, n, known_names[DISTANCE]) || sm_header_is_word(name, n, known_names[DISSIMILARITY]))
        return SMERF_OK;
    return sm_source_fail(&lines->source, 0, lines->error,
                          "column \"%s\" may hold distances or similarities: --value-is distance or --value-is "
                          "similarity says which",
                          sm_quote(name, n, shown));
}

/* Before the ids are chosen: columns that are known by their names. */
static smerf_status take_numbers(sm_pair_lines *lines, const sm_pairs_spec *spec, const named_cells *found,
                                 sm_pair_content content) {
    smerf_status status = SMERF_OK;
    if (content == SM_EDGES && lines->value == SM_NO_CELL) return pick_named(lines, found, WEIGHT, &lines->value);
    if (content != SM_RATINGS) return SMERF_OK;
    if (spec->value_column != NULL)
        status = check_given_value(lines, spec);
    else
        status = take_known_value(lines, found);
    if (status == SMERF_OK && spec->value_kind != SM_BY_ITS_NAME)
        lines->pairs.are_similarities = spec->value_kind == SM_SIMILARITIES;
    return status == SMERF_OK ? pick_named(lines, found, WEIGHT, &lines->weight) : status;
}

/* ---- All of them ---- */

static smerf_status choose_columns(sm_pair_lines *lines, const sm_pairs_spec *spec, sm_pair_content content) {
    named_cells found;
    smerf_status status = look_for_names(lines, spec, &found);
    if (status == SMERF_OK) status = sm_header_note(lines); /* all of them, for messages */
    if (status == SMERF_OK) status = take_given(lines, &found, FIRST_ID, &lines->ids[0]);
    if (status == SMERF_OK) status = take_given(lines, &found, SECOND_ID, &lines->ids[1]);
    if (status == SMERF_OK && content == SM_RATINGS) status = take_given(lines, &found, JUDGE, &lines->judge);
    if (status == SMERF_OK && content != SM_IDS_ALONE) status = take_given(lines, &found, VALUE, &lines->value);
    if (status == SMERF_OK) status = take_numbers(lines, spec, &found, content);
    if (status == SMERF_OK) status = take_ids(lines, &found, content);
    if (status == SMERF_OK) status = sm_header_note(lines);
    if (status == SMERF_OK && content == SM_RATINGS && lines->value == SM_NO_CELL)
        status = take_other_value(lines, spec);
    if (status == SMERF_OK && content != SM_IDS_ALONE && spec->value_column == NULL) status = note_other_number(lines);
    return status;
}

/* Names that a header may have even if items are called so, too. */
static bool is_usual(size_t c, const sm_csv_cell *cell) {
    static const char *const names[2][2] = {{"i", "source"}, {"j", "target"}};
    for (size_t k = 0; k < 2; k++)
        if (sm_header_is_word(cell->text, cell->n, names[c][k])) return true;
    return false;
}

/* Two ids are no header: the first pair would be lost without a word. */
smerf_status sm_pair_lines_read_header(sm_pair_lines *lines, const sm_pairs_spec *spec, sm_pair_content content) {
    sm_csv_cell cell = {0};
    size_t n_named = 0; /* R's row names, without a name, may stand before the ids */
    bool is_found = true, is_pair = spec->id_columns[0] == NULL, is_header = true;
    for (lines->n_cells = 0; !cell.ends_row; lines->n_cells++) {
        smerf_status status = sm_csv_next(&lines->csv, &cell, &is_found, lines->error);
        if (status != SMERF_OK) return status;
        if (!is_found)
            return sm_source_fail(&lines->source, 0, lines->error, "the file is empty: a header and %ss are needed",
                                  lines->noun);
        if (n_named >= 2 || sm_header_is_nameless(&cell)) continue;
        is_header &= is_usual(n_named, &cell);
        is_pair &= sm_pair_lines_has_id(lines, n_named++, &cell);
    }
    if (lines->n_cells < 2)
        return sm_source_fail(&lines->source, cell.position, lines->error, "one column, and two with ids are needed");
    if (is_pair && n_named == 2 && !is_header)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "the first line is a pair, and a header is needed above it");
    return choose_columns(lines, spec, content);
}
