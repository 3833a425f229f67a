/* test_forged_index.c - index files whose checksum fits and whose content does not: each is refused, none does harm. */
#include "tests/unit/column_targets.h"

#include "model/safetensors.h"

/* good.index with an array or a fact changed, or taken away (NULL). */
typedef struct forgery {
    const char *array;
    sm_tensor_type type;
    const void *data;
    size_t n;
    const char *fact, *text;
} forgery;

static void forge(const forgery *how) {
    sm_safetensors file;
    sm_tensors changed = {0};
    smerf_error error;
    demand_ok(sm_safetensors_read("good.index", "index", &file, &error), &error);
    json_t *facts = json_deep_copy(file.facts);
    json_object_del(facts, "checksum");
    if (how->fact != NULL) json_object_del(facts, how->fact);
    if (how->text != NULL) json_object_set_new(facts, how->fact, json_string(how->text));
    for (size_t k = 0; k < file.tensors.n; k++) {
        const sm_tensor *tensor = &file.tensors.tensor[k];
        if (how->array == NULL || strcmp(tensor->name, how->array) != 0)
            demand_ok(sm_tensors_add(&changed, tensor->name, tensor->type, tensor->data, tensor->n, &error), &error);
    }
    if (how->data != NULL)
        demand_ok(sm_tensors_add(&changed, how->array, how->type, how->data, how->n, &error), &error);
    demand_ok(sm_safetensors_write("forged.index", facts, &changed, &error), &error);
    json_decref(facts);
    sm_tensors_free(&changed);
    sm_safetensors_close(&file);
}

static void assert_forged(const smerf_model *model, forgery how, const char *words) {
    smerf_index *index = NULL;
    smerf_error error = {0};
    forge(&how);
    assert_int_equal(smerf_index_load("forged.index", model, &index, &error), SMERF_BAD_FILE);
    assert_says(&error, "forged.index: ", words);
    assert_null(index);
}

enum { N = 20, N_TREES = 4 };

static void save_good(const smerf_model *model, const data_set *data) {
    smerf_index *index = NULL;
    smerf_error error;
    demand_ok(smerf_index_new(model, data->items, NULL, &index, &error), &error);
    demand_ok(smerf_index_save(index, "good.index", &error), &error);
    smerf_index_free(index);
    forge(&(forgery){.fact = NULL}); /* changed in nothing, it is fine */
    demand_ok(smerf_index_load("forged.index", model, &index, &error), &error);
    smerf_index_free(index);
}

static void forge_ids_and_facts(const smerf_model *model) {
    char twice[N * 2], few[2 * N - 2], bad[2 * N];
    for (size_t i = 0; i < 2 * N; i++) twice[i] = bad[i] = i % 2 == 0 ? (char)('a' + i / 2) : '\0';
    memcpy(few, twice, sizeof few);
    twice[0] = 'b';
    bad[0] = '\xff';
    assert_forged(model, (forgery){"index.id", SM_U8, twice, sizeof twice, NULL, NULL}, "ids are not different");
    assert_forged(model, (forgery){"index.id", SM_U8, bad, sizeof bad, NULL, NULL}, "ids are not different");
    assert_forged(model, (forgery){"index.id", SM_U8, few, sizeof few, NULL, NULL}, "ids do not fit");
    assert_forged(model, (forgery){"index.id", SM_I8, few, sizeof few, NULL, NULL}, "are not text");
    assert_forged(model, (forgery){.array = "index.id"}, "its ids are not there");
    assert_forged(model, (forgery){.fact = "id_column"}, "its ids are not there");
    assert_forged(model, (forgery){"other", SM_U8, few, 3, NULL, NULL}, "arrays that belong to no index");
    assert_forged(model, (forgery){.fact = "model"}, "another model");
    assert_forged(model, (forgery){.fact = "model", .text = "0123"}, "another model");
    assert_forged(model, (forgery){.fact = "format"}, "is not a smerf index");
    assert_forged(model, (forgery){.fact = "format", .text = "what"}, "is not a smerf index");
    assert_forged(model, (forgery){.fact = "format_version"}, "has format version none");
    assert_forged(model, (forgery){.fact = "format_version", .text = "2"}, "has format version 2");
}

static void forged_codes_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_model *model = fit_to(data, labels_for(data, 3), N_TREES, 2);
    uint8_t codes[N * N_TREES] = {0};
    uint32_t wide[N * N_TREES] = {0};
    name_items(data, NULL);
    save_good(model, data);
    codes[N * N_TREES - 1] = 7;
    assert_forged(model, (forgery){"index.code", SM_U8, codes, N * N_TREES, NULL, NULL},
                  "codes that the model has not");
    assert_forged(model, (forgery){"index.code", SM_U8, codes, N * N_TREES - 1, NULL, NULL}, "those of every tree");
    assert_forged(model, (forgery){"index.code", SM_U8, codes, 0, NULL, NULL}, "those of every tree");
    assert_forged(model, (forgery){"index.code", SM_U32, wide, N * N_TREES, NULL, NULL}, "those of every tree");
    assert_forged(model, (forgery){.array = "index.code"}, "those of every tree");
    assert_forged(model, (forgery){"index.code", SM_U8, codes, N_TREES, NULL, NULL}, "is damaged");
    forge_ids_and_facts(model);
    smerf_model_free(model);
    data_set_free(data);
}

static void forged_leaves_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_model *model = fit_to(data, response_for(data), N_TREES, 3);
    uint32_t leaves[N * N_TREES] = {0};
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    name_items(data, NULL);
    save_good(model, data);
    smerf_model_tree(model, N_TREES - 1, &tree, NULL);
    leaves[N * N_TREES - 1] = (uint32_t)tree.n_leaves;
    assert_forged(model, (forgery){"index.leaf", SM_U32, leaves, N * N_TREES, NULL, NULL},
                  "leaves that the model has not");
    leaves[N * N_TREES - 1] = UINT32_MAX;
    assert_forged(model, (forgery){"index.leaf", SM_U32, leaves, N * N_TREES, NULL, NULL},
                  "leaves that the model has not");
    assert_forged(model, (forgery){"index.leaf", SM_U32, leaves, N * N_TREES - 3, NULL, NULL}, "those of every tree");
    assert_forged(model, (forgery){"index.leaf", SM_F32, leaves, N * N_TREES, NULL, NULL}, "those of every tree");
    assert_forged(model, (forgery){.array = "index.leaf"}, "those of every tree");
    forge_ids_and_facts(model);
    smerf_model_free(model);
    data_set_free(data);
}

/* Of a small file every bit is flipped in turn, and every length is tried. */
static void damaged_files_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(5);
    smerf_model *model = fit_to(data, labels_for(data, 2), 2, 2);
    smerf_index *index = NULL;
    smerf_error error;
    save_good(model, data);
    file_bytes good = read_bytes("good.index");
    for (size_t k = 0; k < good.n * 8; k++) {
        good.bytes[k / 8] = (char)(good.bytes[k / 8] ^ 1 << k % 8);
        write_bytes("bad.index", good.bytes, good.n);
        good.bytes[k / 8] = (char)(good.bytes[k / 8] ^ 1 << k % 8);
        assert_int_equal(smerf_index_load("bad.index", model, &index, &error), SMERF_BAD_FILE);
    }
    for (size_t n = 0; n < good.n; n++) {
        write_bytes("bad.index", good.bytes, n);
        assert_int_equal(smerf_index_load("bad.index", model, &index, &error), SMERF_BAD_FILE);
    }
    free(good.bytes);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_codes_are_refused),
        cmocka_unit_test(forged_leaves_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
