/* targets.c - reads what is known of the pairs, as the options say: exactly one of the targets in the table below. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "io/pairs/pairs.h"
#include "io/text/names.h"
#include "io/text/text.h"

const cli_option cli_target_options[] = {
    {"", NULL, "TARGET is exactly one of these:"},
    {"--distances", "FILE", "n x n matrix or condensed vector; .npy or CSV; missing entries make it a list of pairs"},
    {"--similarities", "FILE", "the same, read as z = M - q; M = 1 if no q exceeds 1, else the largest q"},
    {"--pairs", "FILE", "CSV of rated pairs: two ids, a column distance or similarity, perhaps a weight"},
    {"--edges", "FILE", "undirected graph, z = 1 - weight: CSV source,target[,weight], or Matrix Market"},
    {"--labels", "COLUMN", "z = 1 if the labels differ, else 0"},
    {"--response", "COLUMNS", "z = half the squared difference, summed over the columns"},
    {"--absolute", "COLUMN", "z = the absolute difference"},
    {"--product", "COLUMNS", "z = 1 - the sum of the products"},
    {"", NULL, "and goes with:"},
    {"--similarity-max", "M", "the similarity that is distance 0"},
    {"--symmetrize", "mean", "average z_ij and z_ji where they differ"},
    {"--value", "COLUMN", "the column of FILE that holds the distance (or the weight of an edge)"},
    {"--observed", "PAIRS",
     "the only pairs of which it is known whether there is an edge; edges elsewhere are left out"},
    {"--drop-missing", NULL, "leaves out items whose label, response or other target column is missing"},
    {0},
};

/* The items on both sides; columns is NULL where the target is about pairs of rows. */
typedef struct sides {
    const cli_items *rows, *columns;
} sides;

static size_t n_both(const sides *of) {
    return of->rows->table.n_rows + (of->columns != NULL ? of->columns->table.n_rows : 0);
}

static smerf_status no_memory(smerf_error *error) {
    snprintf(error->message, sizeof error->message, "out of memory while reading a target");
    return SMERF_NO_MEMORY;
}

static void note_similarities(cli_target *target, double largest) {
    smerf_target_note_similarities(target->target, largest);
    target->similarity_max = largest;
}

void cli_compare_similarities(const cli_args *args, const smerf_model *model, const cli_target *target) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    double here = target->similarity_max, in_model = description.largest_similarity;
    char numbers[2][SM_NUMBER_SPACE];
    if (here == 0 || !description.from_similarities || here == in_model) return;
    numbers[0][sm_number_format(here, numbers[0])] = '\0';
    numbers[1][sm_number_format(in_model, numbers[1])] = '\0';
    cli_say(args, "distances are %s - q here, and the model's are %s - q; --similarity-max %s makes them alike",
            numbers[0], numbers[1], numbers[1]);
}

/* ---- matrices ---- */

/* The entries of a matrix with gaps as pairs; those of a block are between the first n_rows items and the others. */
static smerf_status pairs_of_matrix(const sm_matrix *matrix, bool is_square, smerf_target **out, smerf_error *error) {
    size_t n = matrix->n_rows, n_columns = matrix->n_columns, k = 0;
    size_t n_known = (is_square ? n * (n + 1) / 2 : n * n_columns) - matrix->n_missing;
    uint32_t *left = malloc((n_known + 1) * sizeof *left), *right = malloc((n_known + 1) * sizeof *right);
    double *value = malloc((n_known + 1) * sizeof *value);
    smerf_status status = SMERF_OK;
    if (left == NULL || right == NULL || value == NULL) status = no_memory(error);
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

static smerf_status read_matrix(const cli_args *args, const char *path, const sides *of, cli_target *target,
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
    if (status == SMERF_OK) status = cli_get_number(args, "--similarity-max", &spec.largest, error);
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
    if (status == SMERF_OK && spec.are_similarities) note_similarities(target, matrix->largest);
    return status;
}

/* ---- pairs and edges ---- */

static sm_pairs_spec spec_for(const cli_args *args, const sides *of) {
    bool is_square = of->columns == NULL;
    return (sm_pairs_spec){.rows = cli_side(of->rows),
                           .columns = cli_side(is_square ? of->rows : of->columns),
                           .is_square = is_square,
                           .value_column = cli_get(args, "--value"),
                           .largest = NAN};
}

/* Where the library complains of an entry, says where that stands. */
static smerf_status place(const char *path, const sm_pairs *pairs, smerf_status status, smerf_error *error) {
    size_t entry = error->row;
    if (status != SMERF_BAD_INPUT || entry >= pairs->n) return status;
    return sm_pairs_position(path, pairs->row != NULL ? pairs->row[entry] : entry, error);
}

static smerf_pair_list list_of(const sm_pairs *pairs) {
    return (smerf_pair_list){
        .n = pairs->n, .left = pairs->left, .right = pairs->right, .value = pairs->value, .weight = pairs->weight};
}

static smerf_status read_pairs(const cli_args *args, const char *path, const sides *of, cli_target *target,
                               smerf_error *error) {
    sm_pairs pairs = {0};
    sm_pairs_spec spec = spec_for(args, of);
    smerf_status status = cli_get_number(args, "--similarity-max", &spec.largest, error);
    if (status == SMERF_OK) status = sm_pairs_read_values(path, &spec, &pairs, error);
    if (status != SMERF_OK) return status;
    target->dialect = pairs.dialect;
    if (cli_has(args, "--similarity-max") && !pairs.are_similarities)
        status = cli_fail(args, error, "--similarity-max goes with similarities, and %s has distances", path);
    const smerf_pair_list list = list_of(&pairs);
    if (status == SMERF_OK)
        status = place(path, &pairs, smerf_target_new_pairs(&list, n_both(of), &target->target, error), error);
    if (status == SMERF_OK && pairs.are_similarities) note_similarities(target, pairs.largest);
    sm_pairs_free(&pairs);
    return status;
}

/* Edges that are not among the observed pairs are not known to be edges either: they are left out. */
static smerf_status read_edges(const cli_args *args, const char *path, const sides *of, cli_target *target,
                               smerf_error *error) {
    sm_pairs edges = {0}, observed = {0};
    const sm_pairs_spec spec = spec_for(args, of);
    const char *observed_path = cli_get(args, "--observed");
    smerf_status status = sm_edges_read(path, &spec, &edges, error);
    target->dialect = edges.dialect;
    if (status == SMERF_OK && observed_path != NULL)
        status = sm_pairs_read_observed(observed_path, &spec, &observed, error);
    if (status == SMERF_OK && observed_path != NULL)
        status = sm_pairs_keep_among(&edges, &observed, &target->n_edges, &target->n_left_out, error);
    const smerf_pair_list list = list_of(&edges), known = list_of(&observed);
    if (status == SMERF_OK)
        status = place(
            path, &edges,
            smerf_target_new_graph(&list, observed_path != NULL ? &known : NULL, n_both(of), &target->target, error),
            error);
    sm_pairs_free(&edges);
    sm_pairs_free(&observed);
    return status;
}

static void add(cli_target *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(cli_target *to, const char *format, ...) {
    size_t used = strlen(to->facts);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to->facts + used, sizeof to->facts - used, format, arguments);
    va_end(arguments);
}

static void note_pairs(const cli_args *args, const sides *of, cli_target *target) {
    smerf_pair_facts facts;
    char count[40];
    if (!smerf_target_pair_facts(target->target, &facts)) return;
    bool is_observed = cli_has(args, "--observed"), is_graph = cli_has(args, "--edges") && !is_observed;
    if (is_observed) add(target, "%s among ", cli_count(target->n_edges, "edge", count));
    add(target, "%s", cli_count(facts.n_pairs, is_graph ? "edge" : "known pair", count));
    if (of->columns != NULL) add(target, " between the two sets");
    if (facts.n_repeated > 0) add(target, ", %zu given more than once", facts.n_repeated);
    if (facts.n_conflicts > 0) add(target, " (%zu with different values: their mean is used)", facts.n_conflicts);
    if (target->n_left_out > 0) add(target, "; %s elsewhere left out", cli_count(target->n_left_out, "edge", count));
    if (facts.n_unobserved > 0 && of->columns == NULL)
        add(target, "; %s without any", cli_count(facts.n_unobserved, is_graph ? "node" : "item", count));
}

void cli_tell_target(const cli_args *args, const cli_target *target) {
    static const char *const files[] = {"--distances", "--similarities", "--pairs", "--edges"};
    const char *facts = target->facts + (target->facts[0] == ';' ? 2 : 0);
    for (size_t f = 0; f < 4 && facts[0] != '\0'; f++)
        if (cli_has(args, files[f])) cli_say(args, "%s: %s", sm_input_name(cli_get(args, files[f])), facts);
}

/* ---- columns of the items ---- */

/* Target column c over the rows, and the columns if there are any; to be freed. */
static double *join_values(const sides *of, size_t c) {
    size_t n_rows = of->rows->table.n_rows, n_columns = n_both(of) - n_rows;
    double *values = malloc(n_both(of) * sizeof *values);
    if (values == NULL) return NULL;
    memcpy(values, of->rows->table.targets[c].values, n_rows * sizeof *values);
    if (n_columns > 0) memcpy(values + n_rows, of->columns->table.targets[c].values, n_columns * sizeof *values);
    return values;
}

/* Where the library complains of a value, says where that stands. */
static smerf_status place_value(const sides *of, smerf_error *error) {
    size_t n_rows = of->rows->table.n_rows;
    if (error->row >= n_both(of) || error->column >= of->rows->table.n_targets) return error->status;
    const cli_items *items = error->row < n_rows ? of->rows : of->columns;
    size_t row = error->row < n_rows ? error->row : error->row - n_rows;
    return cli_item_position(items, items->table.targets[error->column].name, row, error);
}

static smerf_status read_columns(const cli_args *args, const char *text, const sides *of, cli_target *target,
                                 smerf_error *error) {
    const sm_table *table = &of->rows->table;
    (void)text;
    const char **names = calloc(table->n_targets, sizeof *names);
    double **columns = calloc(table->n_targets, sizeof *columns);
    smerf_status status = names != NULL && columns != NULL ? SMERF_OK : no_memory(error);
    for (size_t c = 0; c < table->n_targets && status == SMERF_OK; c++) {
        names[c] = table->targets[c].name;
        columns[c] = join_values(of, c);
        if (columns[c] == NULL) status = no_memory(error);
    }
    const double *const *values = (const double *const *)columns;
    if (status == SMERF_OK && cli_has(args, "--absolute"))
        status = smerf_target_new_absolute(names[0], values[0], n_both(of), &target->target, error);
    else if (status == SMERF_OK)
        status = (cli_has(args, "--product") ? smerf_target_new_product : smerf_target_new_response)(
            names, values, table->n_targets, n_both(of), &target->target, error);
    if (status == SMERF_BAD_INPUT) status = place_value(of, error);
    for (size_t c = 0; c < table->n_targets && columns != NULL; c++) free(columns[c]);
    free(columns);
    free(names);
    return status;
}

/* The rows' levels, then those that only the columns have. False: no memory.
 *   classes   [levels of both] out, *n of them in the end
 *   place_of  [levels of the columns] out: their places among the classes */
static bool place_levels(sm_names *names, const sm_table_column *first, const sm_table_column *second,
                         const char **classes, uint32_t *place_of, size_t *n) {
    bool is_new;
    for (size_t l = 0; l < first->n_levels; l++) {
        classes[l] = first->levels[l];
        if (sm_names_add(names, classes[l], strlen(classes[l]), &is_new) == SMERF_MISSING) return false;
    }
    for (size_t l = 0; second != NULL && l < second->n_levels; l++) {
        place_of[l] = sm_names_add(names, second->levels[l], strlen(second->levels[l]), &is_new);
        if (place_of[l] == SMERF_MISSING) return false;
        if (is_new) classes[(*n)++] = second->levels[l];
    }
    return true;
}

/* Codes of the labels of both sides in one list of classes. */
static smerf_status read_labels(const cli_args *args, const char *text, const sides *of, cli_target *target,
                                smerf_error *error) {
    const sm_table_column *first = of->rows->table.targets;
    const sm_table_column *second = of->columns != NULL ? of->columns->table.targets : NULL;
    size_t n_rows = of->rows->table.n_rows, n_second = second != NULL ? second->n_levels : 0, n = first->n_levels;
    (void)args;
    (void)text;
    const char **classes = malloc((n + n_second + 1) * sizeof *classes);
    uint32_t *codes = malloc(n_both(of) * sizeof *codes), *place_of = malloc((n_second + 1) * sizeof *place_of);
    sm_names *names = sm_names_new();
    smerf_status status = SMERF_OK;
    if (classes == NULL || codes == NULL || place_of == NULL || names == NULL ||
        !place_levels(names, first, second, classes, place_of, &n)) {
        status = no_memory(error);
    } else {
        memcpy(codes, first->codes, n_rows * sizeof *codes);
        for (size_t i = n_rows; i < n_both(of); i++) codes[i] = place_of[second->codes[i - n_rows]];
        status = smerf_target_new_labels(first->name, codes, n_both(of), classes, n, &target->target, error);
    }
    sm_names_free(names);
    free(classes);
    free(codes);
    free(place_of);
    return status;
}

/* ---- the table ---- */

typedef smerf_status (*target_reader)(const cli_args *args, const char *text, const sides *of, cli_target *target,
                                      smerf_error *error);

static const struct {
    const char *option;
    target_reader read;
    bool is_one_column;
} readers[] = {{"--distances", read_matrix, false}, {"--similarities", read_matrix, false},
               {"--pairs", read_pairs, false},      {"--edges", read_edges, false},
               {"--labels", read_labels, true},     {"--response", read_columns, false},
               {"--absolute", read_columns, true},  {"--product", read_columns, false}};

enum { N_READERS = sizeof readers / sizeof *readers };

/* The place in the table of the target that is given; N_READERS: none is. */
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
                        "--response, --absolute, --product");
    if (given < N_READERS && readers[given].is_one_column && strchr(cli_get(args, readers[given].option), ',') != NULL)
        return cli_fail(args, error, "%s takes one column, and '%s' names several", readers[given].option,
                        cli_get(args, readers[given].option));
    if (cli_has(args, "--similarity-max") && !is_given(args, "--similarities", "--pairs"))
        return cli_fail(args, error, "--similarity-max goes with --similarities or --pairs");
    if (cli_has(args, "--symmetrize") && !is_given(args, "--distances", "--similarities"))
        return cli_fail(args, error, "--symmetrize goes with a matrix");
    bool is_of_columns = is_given(args, "--labels", "--response") || is_given(args, "--absolute", "--product");
    if (cli_has(args, "--drop-missing") && !is_of_columns)
        return cli_fail(args, error, "--drop-missing goes with --labels, --response, --absolute or --product");
    if (cli_has(args, "--value") && !is_given(args, "--pairs", "--edges"))
        return cli_fail(args, error, "--value goes with --pairs or --edges");
    if (cli_has(args, "--observed") && !cli_has(args, "--edges"))
        return cli_fail(args, error, "--observed goes with --edges");
    return SMERF_OK;
}

/* A target over both sets becomes one of the pairs between them. */
static smerf_status take_between(const sides *of, cli_target *target, smerf_error *error) {
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
    const sides of = {.rows = rows, .columns = columns};
    size_t given = find_given(args);
    char dialect[80];
    smerf_status status = cli_check_target_options(args, is_optional, error);
    if (status != SMERF_OK || given == N_READERS) return status;
    const char *text = cli_get(args, readers[given].option);
    status = readers[given].read(args, text, &of, target, error);
    if (status == SMERF_OK) note_pairs(args, &of, target);
    if (status == SMERF_OK && target->matrix.has_header) add(target, "; a condensed vector below a header");
    if (status == SMERF_OK) add(target, "%s", cli_dialect(&target->dialect, dialect));
    if (status == SMERF_OK) status = take_between(&of, target, error);
    if (status != SMERF_OK) cli_free_target(target);
    return status;
}

void cli_free_target(cli_target *target) {
    smerf_target_free(target->target);
    sm_matrix_free(&target->matrix);
    *target = (cli_target){0};
}
