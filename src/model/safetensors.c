/* safetensors.c - reads and writes the container of model files: a JSON header and raw arrays. See safetensors.h. */
#include "model/safetensors.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"

/* The header starts with this; the digits of the checksum follow, at a position that is always the same. */
static const char opening[] = "{\"__metadata__\":{\"checksum\":\"";

enum { MOST_ARRAYS = 64, LENGTH_BYTES = 8, OPENING_BYTES = sizeof opening - 1, DIGITS = 32, ALIGNMENT = 8 };

static const char no_digits[DIGITS + 1] = "00000000000000000000000000000000";

/* ---- writing ---- */

/* Wide types first, so that every array is aligned in a mapped file. */
static const sm_tensor_type write_order[SM_TENSOR_TYPES] = {SM_F64, SM_U64, SM_F32, SM_U32, SM_U8, SM_I8};

static json_t *describe_tensor(const sm_tensor *tensor, size_t from, size_t to) {
    return json_pack("{s:s, s:[I], s:[I, I]}", "dtype", sm_tensor_type_name(tensor->type), "shape",
                     (json_int_t)tensor->n, "data_offsets", (json_int_t)from, (json_int_t)to);
}

/* The header as text, padded with blanks, with zeros for a checksum; NULL: no memory. */
static char *header_text(const json_t *facts, const sm_tensors *tensors, const sm_tensor **in_order, size_t *n_bytes) {
    json_t *metadata = json_pack("{s:s}", "checksum", no_digits);
    json_t *header = json_object();
    char *text = NULL;
    if (metadata == NULL || header == NULL || json_object_update(metadata, (json_t *)facts) != 0 ||
        json_object_set(header, "__metadata__", metadata) != 0)
        goto done;
    size_t offset = 0, n_written = 0;
    for (size_t type = 0; type < SM_TENSOR_TYPES; type++)
        for (size_t i = 0; i < tensors->n; i++) {
            const sm_tensor *tensor = &tensors->tensor[i];
            if (tensor->type != write_order[type]) continue;
            size_t end = offset + tensor->n * sm_tensor_type_bytes(tensor->type);
            if (json_object_set_new(header, tensor->name, describe_tensor(tensor, offset, end)) != 0) goto done;
            in_order[n_written++] = tensor;
            offset = end;
        }
    char *compact = json_dumps(header, JSON_COMPACT);
    if (compact == NULL) goto done;
    size_t length = strlen(compact), padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    text = sm_array(padded, 1);
    if (text != NULL) {
        memset(text, ' ', padded);
        memcpy(text, compact, length);
        *n_bytes = padded;
    }
    free(compact);
done:
    json_decref(metadata);
    json_decref(header);
    return text;
}

static void put_length(size_t n, unsigned char bytes[LENGTH_BYTES]) {
    for (unsigned i = 0; i < LENGTH_BYTES; i++) bytes[i] = (unsigned char)(n >> (8 * i));
}

static void put_tensor(const sm_tensor *tensor, sm_tensor_sink sink, void *to) {
    if (tensor->put != NULL)
        tensor->put(tensor->data, sink, to);
    else
        sink(to, tensor->data, tensor->n * sm_tensor_type_bytes(tensor->type));
}

static void add_to_checksum(void *to, const void *bytes, size_t n_bytes) { sm_checksum_add(to, bytes, n_bytes); }
static void add_to_output(void *to, const void *bytes, size_t n_bytes) { sm_output_write(to, bytes, n_bytes); }

smerf_status sm_safetensors_write(const char *path, const json_t *facts, const sm_tensors *tensors,
                                  smerf_error *error) {
    size_t n_header = 0;
    sm_output *output = NULL;
    const sm_tensor **in_order = sm_array(tensors->n, sizeof *in_order);
    char *header = in_order != NULL ? header_text(facts, tensors, in_order, &n_header) : NULL;
    sm_checksum *checksum = sm_checksum_new();
    smerf_status status = SMERF_OK;
    if (header == NULL || checksum == NULL) {
        status = sm_no_memory(error, "writing a model");
    } else {
        status = sm_output_open(path, &output, error);
    }
    char digits[DIGITS + 1];
    unsigned char length[LENGTH_BYTES];
    put_length(n_header, length);
    if (status == SMERF_OK) {
        sm_checksum_add(checksum, length, sizeof length);
        sm_checksum_add(checksum, header, n_header);
        for (size_t i = 0; i < tensors->n; i++) put_tensor(in_order[i], add_to_checksum, checksum);
    }
    if (checksum != NULL) sm_checksum_finish(checksum, digits);
    if (status == SMERF_OK) {
        memcpy(header + OPENING_BYTES, digits, DIGITS);
        sm_output_write(output, length, sizeof length);
        sm_output_write(output, header, n_header);
        for (size_t i = 0; i < tensors->n; i++) put_tensor(in_order[i], add_to_output, output);
        status = sm_output_finish(output, error);
    }
    sm_free(header);
    sm_free(in_order);
    return status;
}

smerf_status sm_safetensors_digest(const char *words, const sm_tensors *tensors, char digits[33], smerf_error *error) {
    sm_checksum *checksum = sm_checksum_new();
    if (checksum == NULL) return sm_no_memory(error, "telling models apart");
    sm_checksum_add(checksum, words, strlen(words) + 1);
    for (size_t i = 0; i < tensors->n; i++) {
        const sm_tensor *tensor = &tensors->tensor[i];
        unsigned char length[LENGTH_BYTES];
        put_length(tensor->n, length);
        sm_checksum_add(checksum, tensor->name, strlen(tensor->name) + 1);
        sm_checksum_add(checksum, length, sizeof length);
        put_tensor(tensor, add_to_checksum, checksum);
    }
    sm_checksum_finish(checksum, digits);
    return SMERF_OK;
}

/* ---- reading ---- */

static size_t get_length(const char *bytes) {
    uint64_t n = 0;
    for (unsigned i = 0; i < LENGTH_BYTES; i++) n |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return n > SIZE_MAX ? SIZE_MAX : (size_t)n;
}

/* The checksum is that of the file with zeros in place of its own digits. */
static smerf_status check_bytes(const sm_input *input, const char *name, const char *what, size_t *n_header,
                                smerf_error *error) {
    const size_t digits_from = LENGTH_BYTES + OPENING_BYTES, digits_to = digits_from + DIGITS;
    if (input->n_bytes < LENGTH_BYTES + 2 || input->bytes[LENGTH_BYTES] != '{')
        return sm_fail(error, SMERF_BAD_FILE, "%s: is not a smerf %s", name, what);
    *n_header = get_length(input->bytes);
    size_t n_opening = input->n_bytes - LENGTH_BYTES < OPENING_BYTES ? input->n_bytes - LENGTH_BYTES : OPENING_BYTES;
    if (memcmp(input->bytes + LENGTH_BYTES, opening, n_opening) != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is not a smerf %s, or its first bytes are damaged", name, what);
    if (*n_header > input->n_bytes - LENGTH_BYTES || input->n_bytes < digits_to)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is cut short: the header says %zu bytes, the file has %zu", name,
                       *n_header, input->n_bytes);
    sm_checksum *checksum = sm_checksum_new();
    if (checksum == NULL) return sm_no_memory(error, "reading a model");
    char digits[DIGITS + 1];
    sm_checksum_add(checksum, input->bytes, digits_from);
    sm_checksum_add(checksum, no_digits, DIGITS);
    sm_checksum_add(checksum, input->bytes + digits_to, input->n_bytes - digits_to);
    sm_checksum_finish(checksum, digits);
    if (memcmp(digits, input->bytes + digits_from, DIGITS) != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the checksum does not fit the content", name);
    return SMERF_OK;
}

static bool find_type(const char *name, sm_tensor_type *type) {
    for (size_t i = 0; i < SM_TENSOR_TYPES; i++) {
        *type = (sm_tensor_type)i;
        if (strcmp(sm_tensor_type_name(*type), name) == 0) return true;
    }
    return false;
}

/* One entry of the header: a vector of a type we know, inside the file. */
static bool read_tensor_entry(json_t *entry, size_t n_data, sm_tensor *tensor, size_t *from) {
    const char *type;
    json_int_t n, start, end;
    if (json_unpack(entry, "{s:s, s:[I!], s:[I, I!] !}", "dtype", &type, "shape", &n, "data_offsets", &start, &end) !=
        0)
        return false;
    if (!find_type(type, &tensor->type) || n < 0 || start < 0 || end < start || (uint64_t)end > n_data) return false;
    size_t bytes = sm_tensor_type_bytes(tensor->type);
    if ((uint64_t)n > n_data / bytes || (uint64_t)(end - start) != (uint64_t)n * bytes) return false;
    tensor->n = (size_t)n;
    *from = (size_t)start;
    return true;
}

/* The arrays must fill the rest of the file, without gaps and without overlap: each starts where another one ends. */
static bool fill_the_file(const sm_tensors *tensors, const size_t *starts, size_t n_data) {
    size_t covered = 0;
    for (size_t i = 0; i < tensors->n; i++) {
        size_t n_bytes = tensors->tensor[i].n * sm_tensor_type_bytes(tensors->tensor[i].type);
        bool has_neighbour = starts[i] == 0;
        for (size_t j = 0; j < tensors->n && !has_neighbour; j++) {
            size_t end = starts[j] + tensors->tensor[j].n * sm_tensor_type_bytes(tensors->tensor[j].type);
            has_neighbour = j != i && end == starts[i];
        }
        if (!has_neighbour || n_bytes > n_data - covered) return false;
        covered += n_bytes;
    }
    return covered == n_data;
}

static smerf_status read_tensors(sm_safetensors *file, const char *data, size_t n_data, const char *name,
                                 smerf_error *error) {
    const char *key;
    json_t *entry;
    size_t starts[MOST_ARRAYS];
    json_object_foreach(file->header, key, entry) {
        if (strcmp(key, "__metadata__") == 0) continue;
        sm_tensor tensor;
        size_t from;
        if (file->tensors.n == MOST_ARRAYS)
            return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the header lists too many arrays", name);
        if (strlen(key) >= sizeof tensor.name || !read_tensor_entry(entry, n_data, &tensor, &from))
            return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the header's entry '%.40s' makes no sense", name,
                           key);
        size_t bytes = sm_tensor_type_bytes(tensor.type);
        starts[file->tensors.n] = from;
        smerf_status status;
        if ((uintptr_t)(data + from) % bytes == 0) {
            status = sm_tensors_add(&file->tensors, key, tensor.type, data + from, tensor.n, error);
        } else {
            void *copy = sm_copy(data + from, tensor.n, bytes);
            if (copy == NULL) return sm_no_memory(error, "reading a model");
            status = sm_tensors_give(&file->tensors, key, tensor.type, copy, tensor.n, error);
        }
        if (status != SMERF_OK) return status;
    }
    if (fill_the_file(&file->tensors, starts, n_data)) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: its arrays overlap, or leave gaps", name);
}

smerf_status sm_safetensors_read(const char *path, const char *what, sm_safetensors *file, smerf_error *error) {
    *file = (sm_safetensors){0};
    const char *name = sm_input_name(path);
    size_t n_header = 0;
    smerf_status status = sm_input_open(path, &file->input, error);
    if (status == SMERF_OK) status = check_bytes(&file->input, name, what, &n_header, error);
    if (status == SMERF_OK) {
        json_error_t problem;
        file->header = json_loadb(file->input.bytes + LENGTH_BYTES, n_header, JSON_REJECT_DUPLICATES, &problem);
        file->facts = json_object_get(file->header, "__metadata__");
        if (!json_is_object(file->facts))
            status = sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the header is not JSON", name);
    }
    if (status == SMERF_OK) {
        size_t n_before = LENGTH_BYTES + n_header;
        status = read_tensors(file, file->input.bytes + n_before, file->input.n_bytes - n_before, name, error);
    }
    if (status != SMERF_OK) sm_safetensors_close(file);
    return status;
}

void sm_safetensors_close(sm_safetensors *file) {
    sm_tensors_free(&file->tensors);
    json_decref(file->header);
    sm_input_close(&file->input);
    *file = (sm_safetensors){0};
}
