/* market.c - graphs in Matrix Market files: see pair_lines.h.
 *
 *     %%MatrixMarket matrix coordinate real symmetric     what it is
 *     % a comment                                         lines like this, and empty ones, may stand anywhere
 *     4 4 2                                               rows, columns, entries
 *     2 1 0.5                                             row, column, value: one line for each entry
 *     4 3 1
 *
 * A general matrix has an edge twice, (i, j) and (j, i): after reading, the entries are sorted by pairs, and both must be
 * there and equal. */
#include "io/pairs/pair_lines.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/pairs/pairs.h"
#include "io/text/text.h"

static const char banner[] = "%%matrixmarket";

typedef struct market {
    const sm_source *source;
    size_t next;     /* position of the next byte to read */
    size_t n_behind; /* see sm_source_pass */
    bool has_values, are_integers, is_general;
    size_t n_items, n_entries;
    smerf_error *error;
} market;

/* ---- Lines and words ---- */

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }
static bool ends_line(char byte) { return byte == '\n' || byte == '\r'; }

static size_t start_of(const sm_source *source) { /* after a byte order mark */
    return source->n_bytes >= 3 && memcmp(source->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

typedef struct word {
    const char *text;
    size_t n, position;
} word;

/* The next word of this line. False: there is none. */
static bool next_word(market *file, word *next) {
    const char *bytes = file->source->bytes;
    size_t n_bytes = file->source->n_bytes, position = file->next;
    while (position < n_bytes && is_blank(bytes[position])) position++;
    size_t end = position;
    while (end < n_bytes && !is_blank(bytes[end]) && !ends_line(bytes[end])) end++;
    *next = (word){bytes + position, end - position, position};
    file->next = end;
    return end > position;
}

static void skip_line(market *file) {
    while (file->next < file->source->n_bytes && !ends_line(file->source->bytes[file->next])) file->next++;
}

/* Goes on to a line that is no comment and not empty. False: there is none. */
static bool next_line(market *file) {
    const char *bytes = file->source->bytes;
    size_t n_bytes = file->source->n_bytes;
    for (;; skip_line(file)) {
        while (file->next < n_bytes && (is_blank(bytes[file->next]) || ends_line(bytes[file->next]))) file->next++;
        sm_source_pass(file->source, &file->n_behind, file->next);
        if (file->next == n_bytes || bytes[file->next] != '%') return file->next < n_bytes;
    }
}

static bool is_word(const word *given, const char *lower_case) {
    if (given->n != strlen(lower_case)) return false;
    for (size_t i = 0; i < given->n; i++) {
        char byte = given->text[i];
        if ((byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte) != lower_case[i]) return false;
    }
    return true;
}

static smerf_status fail_short(const market *file, const char *need) {
    return sm_source_fail(file->source, file->next, file->error, "the line ends where %s is needed", need);
}

static smerf_status fail_word(const market *file, const word *given, const char *what) {
    char shown[SM_QUOTE];
    return sm_source_fail(file->source, given->position, file->error, "\"%s\" %s",
                          sm_quote(given->text, given->n, shown), what);
}

static smerf_status end_line(market *file) {
    word rest;
    return next_word(file, &rest) ? fail_word(file, &rest, "is more than belongs in this line") : SMERF_OK;
}

/* ---- What the file is ---- */

bool sm_market_is(const sm_source *source) {
    market file = {.source = source, .next = start_of(source)};
    word first;
    return file.next < source->n_bytes && source->bytes[file.next] == '%' && next_word(&file, &first) &&
           is_word(&first, banner);
}

/* Takes one of the words that can be read here, or says which can. */
static smerf_status take_kind(market *file, const char *const *words, size_t n_words, const char *need, size_t *kind) {
    word given;
    if (!next_word(file, &given)) return fail_short(file, words[0]);
    for (*kind = 0; *kind < n_words; ++*kind)
        if (is_word(&given, words[*kind])) return SMERF_OK;
    return fail_word(file, &given, need);
}

static smerf_status read_banner(market *file) {
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate"};
    static const char *const fields[] = {"real", "integer", "pattern"}, *const symmetries[] = {"symmetric", "general"};
    size_t object, format, field, symmetry;
    word first;
    (void)next_word(file, &first);
    smerf_status status = take_kind(file, objects, 1, "cannot be read; a graph is a matrix", &object);
    if (status == SMERF_OK)
        status = take_kind(file, formats, 1,
                           "cannot be read; a graph is a coordinate matrix (a full one is for --distances or "
                           "--similarities, as CSV or .npy)",
                           &format);
    if (status == SMERF_OK)
        status = take_kind(file, fields, 3, "cannot be read; weights are real or integer, or none: pattern", &field);
    if (status == SMERF_OK)
        status = take_kind(file, symmetries, 2,
                           "cannot be read; the matrix of an undirected graph is symmetric, or general and has each "
                           "edge twice",
                           &symmetry);
    if (status != SMERF_OK) return status;
    file->has_values = field != 2;
    file->are_integers = field == 1;
    file->is_general = symmetry == 1;
    return end_line(file);
}

/* Reads a whole number without sign; one that is too large stays SIZE_MAX. */
static bool parse_count(const word *given, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < given->n; i++) {
        if (given->text[i] < '0' || given->text[i] > '9') return false;
        *count = *count == SIZE_MAX ? SIZE_MAX : sm_size(*count, 10, (size_t)(given->text[i] - '0'));
    }
    return given->n > 0;
}

static smerf_status read_sizes(market *file) {
    static const char *const needs[3] = {"the number of rows", "the number of columns", "the number of entries"};
    size_t counts[3];
    if (!next_line(file)) return fail_short(file, needs[0]);
    size_t position = file->next;
    for (size_t k = 0; k < 3; k++) {
        word given;
        if (!next_word(file, &given)) return fail_short(file, needs[k]);
        if (!parse_count(&given, &counts[k]))
            return fail_word(file, &given, "is no count; rows, columns and entries are needed");
    }
    if (counts[0] != file->n_items || counts[1] != file->n_items)
        return sm_source_fail(file->source, position, file->error, "a matrix of %zu x %zu; %zu items need %zu x %zu",
                              counts[0], counts[1], file->n_items, file->n_items, file->n_items);
    file->n_entries = counts[2];
    return end_line(file);
}

/* ---- Entries ---- */

static smerf_status read_item(market *file, const char *need, uint32_t *item) {
    word given;
    size_t number;
    if (!next_word(file, &given)) return fail_short(file, need);
    if (!parse_count(&given, &number) || number < 1 || number > file->n_items) {
        char shown[SM_QUOTE];
        return sm_source_fail(file->source, given.position, file->error, "\"%s\" is no item; they count from 1 to %zu",
                              sm_quote(given.text, given.n, shown), file->n_items);
    }
    *item = (uint32_t)(number - 1);
    return SMERF_OK;
}

static smerf_status read_value(market *file, double *value) {
    word given;
    if (!next_word(file, &given)) return fail_short(file, "a value");
    switch (sm_number_parse(given.text, given.n, value)) {
    case SM_CELL_NUMBER: break;
    case SM_CELL_INFINITE: return fail_word(file, &given, "is infinite; a weight must be finite");
    case SM_CELL_MISSING: return fail_word(file, &given, "is a missing weight; every edge needs one");
    case SM_CELL_TEXT: return fail_word(file, &given, "is no number");
    }
    if (file->are_integers && *value != floor(*value))
        return fail_word(file, &given, "is no whole number, and the first line says integer");
    return SMERF_OK;
}

/* Reads the entry of the line that is next; only a whole one fits into the list. */
static smerf_status read_market_entry(market *file, sm_pairs *edges) {
    uint32_t left = 0, right = 0;
    double value = 1;
    size_t position = file->next;
    smerf_status status = read_item(file, "a row", &left);
    if (status == SMERF_OK) status = read_item(file, "a column", &right);
    if (status == SMERF_OK && left == right)
        status = sm_source_fail(file->source, position, file->error,
                                "an edge from item %zu to itself; an edge joins two different items", (size_t)left + 1);
    if (status == SMERF_OK && file->has_values) status = read_value(file, &value);
    if (status == SMERF_OK) status = end_line(file);
    if (status != SMERF_OK) return status;
    edges->left[edges->n] = left;
    edges->right[edges->n] = right;
    if (file->has_values) edges->value[edges->n] = value;
    edges->n++;
    return SMERF_OK;
}

static smerf_status read_entries(market *file, sm_pairs *edges) {
    /* The file decides how much memory is allocated: no entry is shorter than "1 2" and the end of its line. */
    size_t most = (file->source->n_bytes - file->next + 1) / 4;
    if (file->n_entries < most) most = file->n_entries;
    size_t bytes = 2 * sizeof(uint32_t) + (file->has_values ? sizeof(double) : 0);
    smerf_status status = sm_check_memory((double)most * (double)bytes, file->source->name, file->error);
    if (status != SMERF_OK) return status;
    edges->left = sm_array(most, sizeof *edges->left);
    edges->right = sm_array(most, sizeof *edges->right);
    if (file->has_values) edges->value = sm_array(most, sizeof *edges->value);
    if (edges->left == NULL || edges->right == NULL || (file->has_values && edges->value == NULL))
        return sm_no_memory(file->error, "reading edges");
    while (status == SMERF_OK && next_line(file)) {
        if (edges->n == file->n_entries)
            return sm_source_fail(file->source, file->next, file->error, "one entry more than the %zu announced",
                                  file->n_entries);
        status = read_market_entry(file, edges);
    }
    if (status == SMERF_OK && edges->n < file->n_entries)
        status = sm_source_fail(file->source, file->source->n_bytes, file->error,
                                "only %zu of the %zu entries announced", edges->n, file->n_entries);
    return status;
}

size_t sm_market_find_entry(const sm_source *source, size_t entry) {
    market file = {.source = source, .next = start_of(source)};
    bool is_there = next_line(&file); /* the sizes; to next_line, what comes above is a comment */
    for (size_t k = 0; k <= entry && is_there; k++) {
        skip_line(&file);
        is_there = next_line(&file);
    }
    return file.next;
}

/* ---- General matrices ---- */

/* Looks at the entries of one pair, which are the indices from `first` to `end`. Returns the first that has no mirror image
 * (itself) or another value than the one before it (*against), or SMERF_MISSING. */
static uint32_t find_odd(const sm_pairs *edges, const uint32_t *first, const uint32_t *end, uint32_t *against) {
    bool has_mirror = false;
    for (const uint32_t *at = first + 1; at < end; at++) {
        has_mirror |= edges->left[*at] != edges->left[*first];
        *against = *first;
        if (edges->value != NULL && edges->value[*at] != edges->value[*first]) return *at;
    }
    *against = SMERF_MISSING;
    return has_mirror ? SMERF_MISSING : *first;
}

static smerf_status fail_odd(const market *file, const sm_pairs *edges, uint32_t odd, uint32_t against) {
    size_t position = sm_market_find_entry(file->source, odd), row = (size_t)edges->left[odd] + 1,
           column = (size_t)edges->right[odd] + 1;
    if (against == SMERF_MISSING)
        return sm_source_fail(file->source, position, file->error,
                              "the entry (%zu, %zu) without its mirror image (%zu, %zu): the matrix of an undirected "
                              "graph has both, or is called symmetric",
                              row, column, column, row);
    char value[SM_NUMBER_SPACE], other[SM_NUMBER_SPACE];
    sm_number_format(edges->value[odd], value);
    sm_number_format(edges->value[against], other);
    return sm_source_fail(file->source, position, file->error,
                          "the entry (%zu, %zu) = %s, but (%zu, %zu) = %s: the matrix of an undirected graph is "
                          "symmetric",
                          row, column, value, (size_t)edges->left[against] + 1, (size_t)edges->right[against] + 1,
                          other);
}

/* Marks the first entry of each pair in order->spare_indices, and finds the first odd one of the file. */
static smerf_status check_mirrors(const market *file, const sm_pairs *edges, const sm_sorted_pairs *order) {
    uint32_t *is_first = order->spare_indices, odd = SMERF_MISSING, against = SMERF_MISSING;
    memset(is_first, 0, edges->n * sizeof *is_first);
    for (size_t k = 0, end; k < edges->n; k = end) {
        uint32_t here, other;
        for (end = k + 1; end < edges->n && order->keys[end] == order->keys[k]; end++) {
        }
        is_first[order->indices[k]] = 1;
        here = find_odd(edges, order->indices + k, order->indices + end, &other);
        if (here >= odd) continue;
        odd = here;
        against = other;
    }
    return odd == SMERF_MISSING ? SMERF_OK : fail_odd(file, edges, odd, against);
}

/* Keeps one entry of each pair. False: no memory. */
static bool keep_first(sm_pairs *edges, const uint32_t *is_first) {
    size_t n = 0;
    edges->row = sm_array(edges->n, sizeof *edges->row);
    if (edges->row == NULL) return false;
    for (size_t k = 0; k < edges->n; k++) {
        if (is_first[k] == 0) continue;
        edges->left[n] = edges->left[k];
        edges->right[n] = edges->right[k];
        if (edges->value != NULL) edges->value[n] = edges->value[k];
        edges->row[n++] = k;
    }
    edges->n = n;
    return true;
}

static smerf_status fold_general(const market *file, sm_pairs *edges) {
    sm_sorted_pairs order = {0};
    if (edges->n >= SMERF_MISSING)
        return sm_fail(file->error, SMERF_BAD_INPUT, "%s: more entries than can be counted in 32 bits",
                       file->source->name);
    smerf_status status = sm_check_memory(24.0 * (double)edges->n, file->source->name, file->error);
    if (status == SMERF_OK) status = sm_pairs_sort(edges, &order, file->error);
    if (status == SMERF_OK) status = check_mirrors(file, edges, &order);
    if (status == SMERF_OK && !keep_first(edges, order.spare_indices))
        status = sm_no_memory(file->error, "reading edges");
    sm_sorted_pairs_free(&order);
    return status;
}

smerf_status sm_market_read(const sm_source *source, size_t n_items, sm_pairs *edges, smerf_error *error) {
    market file = {.source = source, .next = start_of(source), .n_items = n_items, .error = error};
    if (n_items >= SMERF_MISSING) return sm_fail(error, SMERF_BAD_INPUT, "more items than can be counted in 32 bits");
    smerf_status status = read_banner(&file);
    if (status == SMERF_OK) status = read_sizes(&file);
    if (status == SMERF_OK) status = read_entries(&file, edges);
    if (status == SMERF_OK && file.is_general) status = fold_general(&file, edges);
    return status;
}
