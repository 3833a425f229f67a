/* targets.c - reads what is known of the pairs, as the options say: exactly one of the targets in the table below. Lists of pairs
 * are read in lists.c, triplets in triplets.c. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/names.h"
#include "targets.h"

const cli_option cli_target_options[] = {
    {"", NULL, "TARGET is exactly one of these:"},
    {"--distances", "FILE", "n x n matrix or condensed vector; .npy or CSV; missing entries make it a list of pairs"},
    {"--similarities", "FILE", "the same, read as z = M - q; M = 1 if no q exceeds 1, else the largest q"},
    {"--pairs", "FILE",
     "CSV of rated pairs: two ids, a column distance, dissimilarity or similarity, perhaps a weight"},
    {"--edges", "FILE",
     "undirected graph, z = 1 - weight (divided by the largest if that exceeds 1): CSV source,target[,weight], or "
     "Matrix Market"},
    {"--labels", "COLUMN", "z = 1 if the labels differ, else 0"},
    {"--response", "COLUMNS", "z = half the squared difference, summed over the columns"},
    {"--absolute", "COLUMN", "z = the absolute difference"},
    {"--product", "COLUMNS", "z = 1 - the sum of the products"},
    {"--triplets", "FILE",
     "CSV anchor,near,far (near is nearer to the anchor than far is) or a,b,odd, perhaps a weight; for --method "
     "mahalanobis"},
    {"", NULL, "and goes with:"},
    {"--similarity-max", "M", "the similarity, or weight of an edge, that is distance 0"},
    {"--symmetrize", "mean", "average z_ij and z_ji where they differ"},
    {"--value", "COLUMN", "the column of FILE that holds the distance or similarity (or the weight of an edge)"},
    {"--value-is", "KIND", "what it holds: distance or similarity (needless where its name says so)"},
    {"--pair-columns", "A,B", "the columns of FILE that hold the ids (default: the first two that may)"},
    {"--triplet-columns", "A,B,C", "the columns of FILE that are anchor, near and far"},
    {"--judge", "COLUMN", "the column of --pairs that says who rated: a pair has the mean over its judges"},
    {"--observed", "PAIRS",
     "the only pairs of which it is known whether there is an edge; edges elsewhere are left out"},
    {"--drop-missing", NULL, "leaves out items whose label, response or other target column is missing"},
    {0},
};

size_t cli_n_both(const cli_sides *of) {
    return of->rows->table.n_rows + (of->columns != NULL ? of->columns->table.n_rows : 0);
}

smerf_status cli_target_no_memory(smerf_error *error) {
    snprintf(error->message, sizeof error->message, "out of memory while reading a target");
    return SMERF_NO_MEMORY;
}

/* ---- facts ---- */

void cli_add_fact(cli_target *to, const char *format, ...) {
    size_t used = strlen(to->facts);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->facts + used, sizeof to->facts - used, format, arguments);
    va_end(arguments);
}

const char *cli_show_number(double number, char text[SM_NUMBER_SPACE]) {
    text[sm_number_format(number, text)] = '\0';
    return text;
}

static void note_judges(const cli_args *args, const cli_target *target) {
    const smerf_ceiling *ceiling = &target->ceiling;
    const char *name = sm_input_name(target->source);
    char judges[40], of_each[60], spearman[40] = "";
    cli_count(target->n_judges, "judge", judges);
    if (isnan(ceiling->rmse)) {
        cli_note(args, "%s: %s; no pair has two, so nothing is known of how far they differ", name, judges);
        return;
    }
    if (ceiling->fewest_judges == ceiling->most_judges)
        snprintf(of_each, sizeof of_each, "%zu of each pair", ceiling->most_judges);
    else
        snprintf(of_each, sizeof of_each, "%zu to %zu of a pair", ceiling->fewest_judges, ceiling->most_judges);
    if (!isnan(ceiling->spearman)) snprintf(spearman, sizeof spearman, " and spearman %.4g", ceiling->spearman);
    cli_note(args, "%s: %s, %s; a perfect prediction would have rmse %.4g%s", name, judges, of_each, ceiling->rmse,
             spearman);
}

static void note_target(const cli_args *args, const cli_target *target) {
    char dialect[80];
    cli_note(args, "%.200s: %s%s", sm_input_name(target->source), target->facts,
             cli_dialect(&target->dialect, dialect));
    if (target->n_judges > 0) note_judges(args, target);
}

/* ---- matrices ---- */

/* The entries of a matrix with gaps as pairs; those of a block are between the first n_rows items and the others. */
static smerf_status pairs_of_matrix(const sm_matrix *matrix, bool is_square, smerf_target **out, smerf_error *error) {
    size_t n = matrix->n_rows, n_columns = matrix->n_columns, k = 0;
    size_t n_known = (is_square ? n * (n + 1) / 2 : n * n_columns) - matrix->n_missing;
    uint32_t *left = malloc((n_known + 1) * sizeof *left), *right = malloc((n_known + 1) * sizeof *right);
    double *value = malloc((n_known + 1) * sizeof *value);
    smerf_status status = SMERF_OK;
    if (left == NULL || right == NULL || value == NULL) status = cli_target_no_memory(error);
    for (size_t i = 0; i < n && status == SMERF_OK; i++)
        for (size_t j = is_square ? i : 0; j < n_columns; j++) {
            float z = matrix->z[i * n_columns + j];
            bool is_filled_in = is_square && i == j && matrix->has_no_diagonal && z == 0;
            if (isnan(z) || is_filled_in) continue;
            left[k] = (uint32_t)i;
            right[k] = (uint32_t)(is_square ? j : n + j);
            value[k++] = (double)z;
        }
    const smerf_pair_list pairs = {.n = k, .left = left, .right = right, .value = value};
    if (status == SMERF_OK) status = smerf_target_new_pairs(&pairs, is_square ? n : n + n_columns, out, error);
    free(left);
    free(right);
    free(value);
    return status;
}

static void note_matrix(const cli_args *args, const cli_sides *of, bool are_similarities, cli_target *target) {
    const sm_matrix *matrix = &target->matrix;
    const char *noun = are_similarities ? "similarities" : "distances";
    bool is_square = of->columns == NULL;
    char count[40];
    if (matrix->n_missing > 0)
        cli_note_counts(args, of, false, target);
    else if (is_square)
        cli_add_fact(target, "%s of %zu items", noun, matrix->n_rows);
    else
        cli_add_fact(target, "%s of %zu x %zu items", noun, matrix->n_rows, matrix->n_columns);
    cli_add_fact(target, "; %s%s%s%s, kept as float32",
                 matrix->is_condensed ? "condensed, "
                 : is_square          ? "square, "
                                      : "",
                 matrix->is_npy ? ".npy" : "CSV", matrix->has_ids ? " with ids" : "",
                 matrix->has_header ? " below a header" : "");
    if (matrix->n_missing > 0)
        cli_add_fact(target, ", %s missing", cli_count(matrix->n_missing, is_square ? "pair" : "cell", count));
    if (are_similarities) cli_note_largest(args, of, matrix->largest, target);
}

static smerf_status read_matrix(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                                smerf_error *error) {
    static const char *const means[] = {"mean"};
    unsigned mean = 0;
    bool is_square = of->columns == NULL;
    sm_matrix_spec spec = {.rows = cli_side(of->rows),
                           .columns = cli_side(is_square ? of->rows : of->columns),
                           .is_square = is_square,
                           .are_similarities = cli_has(args, "--similarities"),
                           .largest = NAN,
                           .may_be_missing = true,
                           .take_means = cli_has(args, "--symmetrize")};
    smerf_status status = cli_get_word(args, "--symmetrize", means, 1, &mean, error);
    if (status == SMERF_OK) status = cli_choose_largest(args, of, false, &spec.largest, error);
    if (status == SMERF_OK) status = cli_get_threads(args, &spec.n_threads, error);
    if (status == SMERF_OK && spec.take_means && !is_square)
        status = cli_fail(args, error, "--symmetrize makes no sense for two sets of items");
    if (status != SMERF_OK) return status;
    sm_matrix *matrix = &target->matrix;
    status = sm_matrix_read(path, &spec, matrix, error);
    if (status != SMERF_OK) return status;
    target->dialect = matrix->dialect;
    if (matrix->n_missing > 0)
        status = pairs_of_matrix(matrix, is_square, &target->target, error);
    else if (!is_square)
        status = smerf_target_new_block(matrix->z, matrix->n_rows, matrix->n_columns, &target->target, error);
    else
        status = smerf_target_new_distances(matrix->z, matrix->n_rows, &target->target, error);
    if (status == SMERF_OK && matrix->has_no_diagonal) smerf_target_note_no_diagonal(target->target);
    if (status == SMERF_OK) note_matrix(args, of, spec.are_similarities, target);
    return status;
}

/* ---- columns of the items ---- */

/* Target column c over the rows, and the columns if there are any; to be freed. */
static double *join_values(const cli_sides *of, size_t c) {
    size_t n_rows = of->rows->table.n_rows, n_columns = cli_n_both(of) - n_rows;
    double *values = malloc(cli_n_both(of) * sizeof *values);
    if (values == NULL) return NULL;
    memcpy(values, of->rows->table.targets[c].values, n_rows * sizeof *values);
    if (n_columns > 0) memcpy(values + n_rows, of->columns->table.targets[c].values, n_columns * sizeof *values);
    return values;
}

/* Where the library complains of a value, says where in the file that is. */
static smerf_status name_value(const cli_sides *of, smerf_error *error) {
    size_t n_rows = of->rows->table.n_rows;
    if (error->row >= cli_n_both(of) || error->column >= of->rows->table.n_targets) return error->status;
    const cli_items *items = error->row < n_rows ? of->rows : of->columns;
    size_t row = error->row < n_rows ? error->row : error->row - n_rows;
    return cli_item_position(items, items->table.targets[error->column].name, row, error);
}

static void note_columns(const cli_args *args, const char *const *names, size_t n, cli_target *target) {
    cli_add_fact(target, "%s",
                 cli_has(args, "--absolute")  ? "absolute difference of "
                 : cli_has(args, "--product") ? "product of "
                                              : "response ");
    for (size_t c = 0; c < n; c++) {
        char shown[SM_QUOTE];
        cli_add_fact(target, "%s%s", c > 0 ? ", " : "", sm_quote(names[c], strlen(names[c]), shown));
    }
}

static smerf_status read_columns(const cli_args *args, const char *text, const cli_sides *of, cli_target *target,
                                 smerf_error *error) {
    const sm_table *table = &of->rows->table;
    (void)text;
    const char **names = calloc(table->n_targets, sizeof *names);
    double **columns = calloc(table->n_targets, sizeof *columns);
    smerf_status status = names != NULL && columns != NULL ? SMERF_OK : cli_target_no_memory(error);
    for (size_t c = 0; c < table->n_targets && status == SMERF_OK; c++) {
        names[c] = table->targets[c].name;
        columns[c] = join_values(of, c);
        if (columns[c] == NULL) status = cli_target_no_memory(error);
    }
    const double *const *values = (const double *const *)columns;
    if (status == SMERF_OK && cli_has(args, "--absolute"))
        status = smerf_target_new_absolute(names[0], values[0], cli_n_both(of), &target->target, error);
    else if (status == SMERF_OK)
        status = (cli_has(args, "--product") ? smerf_target_new_product : smerf_target_new_response)(
            names, values, table->n_targets, cli_n_both(of), &target->target, error);
    if (status == SMERF_BAD_INPUT) status = name_value(of, error);
    if (status == SMERF_OK) note_columns(args, names, table->n_targets, target);
    for (size_t c = 0; c < table->n_targets && columns != NULL; c++) free(columns[c]);
    free(columns);
    free(names);
    return status;
}

/* The rows' levels, then those that only the columns have. False: no memory.
 *   classes   [levels of both] out, *n of them in the end
 *   class_of  [levels of the columns] out: their indices among the classes */
static bool join_levels(sm_names *names, const sm_table_column *first, const sm_table_column *second,
                        const char **classes, uint32_t *class_of, size_t *n) {
    bool is_new;
    for (size_t l = 0; l < first->n_levels; l++) {
        classes[l] = first->levels[l];
        if (sm_names_add(names, classes[l], strlen(classes[l]), &is_new) == SMERF_MISSING) return false;
    }
    for (size_t l = 0; second != NULL && l < second->n_levels; l++) {
        class_of[l] = sm_names_add(names, second->levels[l], strlen(second->levels[l]), &is_new);
        if (class_of[l] == SMERF_MISSING) return false;
        if (is_new) classes[(*n)++] = second->levels[l];
    }
    return true;
}

static void note_labels(const char *name, size_t n_classes, cli_target *target) {
    char shown[SM_QUOTE];
    cli_add_fact(target, "labels %s, %zu classes", sm_quote(name, strlen(name), shown), n_classes);
}

/* Codes of the labels of both sides in one list of classes. */
static smerf_status read_labels(const cli_args *args, const char *text, const cli_sides *of, cli_target *target,
                                smerf_error *error) {
    const sm_table_column *first = of->rows->table.targets;
    const sm_table_column *second = of->columns != NULL ? of->columns->table.targets : NULL;
    size_t n_rows = of->rows->table.n_rows, n_second = second != NULL ? second->n_levels : 0, n = first->n_levels;
    (void)args;
    (void)text;
    const char **classes = malloc((n + n_second + 1) * sizeof *classes);
    uint32_t *codes = malloc(cli_n_both(of) * sizeof *codes), *class_of = malloc((n_second + 1) * sizeof *class_of);
    sm_names *names = sm_names_new();
    smerf_status status = SMERF_OK;
    if (classes == NULL || codes == NULL || class_of == NULL || names == NULL ||
        !join_levels(names, first, second, classes, class_of, &n)) {
        status = cli_target_no_memory(error);
    } else {
        memcpy(codes, first->codes, n_rows * sizeof *codes);
        for (size_t i = n_rows; i < cli_n_both(of); i++) codes[i] = class_of[second->codes[i - n_rows]];
        status = smerf_target_new_labels(first->name, codes, cli_n_both(of), classes, n, &target->target, error);
    }
    if (status == SMERF_OK) note_labels(first->name, n, target);
    sm_names_free(names);
    free(classes);
    free(codes);
    free(class_of);
    return status;
}

/* ---- the table ---- */

typedef smerf_status (*target_reader)(const cli_args *args, const char *text, const cli_sides *of, cli_target *target,
                                      smerf_error *error);

static const struct {
    const char *option;
    target_reader read;
    bool is_one_column, is_in_items;
} readers[] = {{"--distances", read_matrix, false, false},      {"--similarities", read_matrix, false, false},
               {"--pairs", cli_read_rated_pairs, false, false}, {"--edges", cli_read_edges, false, false},
               {"--labels", read_labels, true, true},           {"--response", read_columns, false, true},
               {"--absolute", read_columns, true, true},        {"--product", read_columns, false, true},
               {"--triplets", cli_read_triplets, false, false}};

enum { N_READERS = sizeof readers / sizeof *readers };

/* The index in the table of the target that is given; N_READERS: none is. */
static size_t find_given(const cli_args *args) {
    size_t r = 0;
    while (r < N_READERS && !cli_has(args, readers[r].option)) r++;
    return r;
}

bool cli_has_target(const cli_args *args) { return find_given(args) < N_READERS; }

static bool is_given(const cli_args *args, const char *option, const char *or_option) {
    return cli_has(args, option) || (or_option != NULL && cli_has(args, or_option));
}

smerf_status cli_check_target_options(const cli_args *args, bool is_optional, smerf_error *error) {
    size_t given = find_given(args);
    for (size_t r = given + 1; r < N_READERS; r++)
        if (cli_has(args, readers[r].option))
            return cli_fail(args, error, "%s and %s exclude each other: give exactly one target", readers[given].option,
                            readers[r].option);
    if (given == N_READERS && !is_optional)
        return cli_fail(args, error,
                        "there is no target: give one of --distances, --similarities, --pairs, --edges, --labels, "
                        "--response, --absolute, --product, --triplets");
    if (given < N_READERS && readers[given].is_one_column && strchr(cli_get(args, readers[given].option), ',') != NULL)
        return cli_fail(args, error, "%s takes one column, and '%s' names several", readers[given].option,
                        cli_get(args, readers[given].option));
    if (cli_has(args, "--similarity-max") && !is_given(args, "--similarities", "--pairs") && !cli_has(args, "--edges"))
        return cli_fail(args, error, "--similarity-max goes with --similarities, --pairs or --edges");
    if (cli_has(args, "--symmetrize") && !is_given(args, "--distances", "--similarities"))
        return cli_fail(args, error, "--symmetrize goes with a matrix");
    bool is_of_columns = is_given(args, "--labels", "--response") || is_given(args, "--absolute", "--product");
    if (cli_has(args, "--drop-missing") && !is_of_columns)
        return cli_fail(args, error, "--drop-missing goes with --labels, --response, --absolute or --product");
    if (cli_has(args, "--value") && !is_given(args, "--pairs", "--edges"))
        return cli_fail(args, error, "--value goes with --pairs or --edges");
    if (cli_has(args, "--pair-columns") && !is_given(args, "--pairs", "--edges"))
        return cli_fail(args, error, "--pair-columns goes with --pairs or --edges");
    if (cli_has(args, "--triplet-columns") && !cli_has(args, "--triplets"))
        return cli_fail(args, error, "--triplet-columns goes with --triplets");
    if (cli_has(args, "--value-is") && !cli_has(args, "--pairs"))
        return cli_fail(args, error, "--value-is goes with --pairs");
    if (cli_has(args, "--judge") && !cli_has(args, "--pairs"))
        return cli_fail(args, error, "--judge goes with --pairs");
    if (cli_has(args, "--observed") && !cli_has(args, "--edges"))
        return cli_fail(args, error, "--observed goes with --edges");
    return SMERF_OK;
}

/* A target over both sets becomes one of the pairs between them. */
static smerf_status take_between(const cli_sides *of, cli_target *target, smerf_error *error) {
    bool is_block = target->matrix.z != NULL && target->matrix.n_missing == 0;
    if (of->columns == NULL || is_block) return SMERF_OK;
    smerf_target *both = target->target;
    target->target = NULL;
    smerf_status status = smerf_target_new_between(both, of->rows->table.n_rows, &target->target, error);
    smerf_target_free(both);
    return status;
}

smerf_status cli_read_target(const cli_args *args, const cli_items *rows, const cli_items *columns, bool is_optional,
                             cli_target *target, smerf_error *error) {
    *target = (cli_target){0};
    const cli_sides of = {.rows = rows, .columns = columns};
    size_t given = find_given(args);
    smerf_status status = cli_check_target_options(args, is_optional, error);
    if (status != SMERF_OK || given == N_READERS) return status;
    const char *text = cli_get(args, readers[given].option);
    target->source = readers[given].is_in_items ? rows->path : text;
    status = readers[given].read(args, text, &of, target, error);
    if (status == SMERF_OK) status = take_between(&of, target, error);
    bool is_of_model = readers[given].is_in_items && text[0] == '\0'; /* nobody named the columns: see cmd_evaluate.c */
    if (status == SMERF_OK && is_of_model) cli_add_fact(target, ", as in training");
    if (status == SMERF_OK)
        note_target(args, target);
    else
        cli_free_target(target);
    return status;
}

void cli_free_target(cli_target *target) {
    smerf_target_free(target->target);
    sm_matrix_free(&target->matrix);
    *target = (cli_target){0};
}
