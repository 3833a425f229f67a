/* npy.c - NumPy's .npy files: see npy.h.
 *
 * A .npy file is "\x93NUMPY", a version (two bytes), the length of its header (two bytes, four from version 2 on, low
 * byte first), the header, and the numbers. The header is a dictionary as Python writes it:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 * It is read here word by word, and anything that is not said above is refused. */
#include "io/matrix/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const bool machine_is_big_endian = true;
#else
static const bool machine_is_big_endian = false;
#endif

bool sm_npy_is(const sm_source *source) {
    if (source->n_bytes >= sizeof magic && memcmp(source->bytes, magic, sizeof magic) == 0) return true;
    size_t n = strlen(source->name);
    return n >= 4 && strcmp(source->name + n - 4, ".npy") == 0;
}

/* ---- The header ---- */

typedef struct header {
    const char *at, *end; /* what is left to read */
    char descr[16];
    bool is_fortran;
    size_t n_dims; /* may be more than 2: then shape holds the first two */
    size_t shape[2];
    bool is_too_large; /* a number that does not fit */
} header;

static void skip_spaces(header *text) {
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) text->at++;
}

/* Whether the word comes next; if so it is taken. */
static bool take_word(header *text, const char *word) {
    size_t n = strlen(word);
    skip_spaces(text);
    if ((size_t)(text->end - text->at) < n || memcmp(text->at, word, n) != 0) return false;
    text->at += n;
    return true;
}

/* A short string in single or double quotes. */
static bool take_string(header *text, char *string, size_t size) {
    skip_spaces(text);
    if (text->at == text->end || (*text->at != '\'' && *text->at != '"')) return false;
    const char *inside = text->at + 1;
    const char *quote = memchr(inside, *text->at, (size_t)(text->end - inside));
    if (quote == NULL || (size_t)(quote - inside) >= size) return false;
    memcpy(string, inside, (size_t)(quote - inside));
    string[quote - inside] = '\0';
    text->at = quote + 1;
    return true;
}

static bool take_count(header *text, size_t *count) {
    skip_spaces(text);
    const char *first = text->at;
    *count = 0;
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++) {
        size_t larger = sm_size(*count, 10, (size_t)(*text->at - '0'));
        if (larger == SIZE_MAX) text->is_too_large = true;
        *count = larger;
    }
    bool is_there = text->at > first;
    if (is_there) (void)take_word(text, "L"); /* as Python 2 wrote it */
    return is_there;
}

static bool take_npy_shape(header *text) {
    if (!take_word(text, "(")) return false;
    for (text->n_dims = 0; !take_word(text, ")"); text->n_dims++) {
        size_t length;
        if (!take_count(text, &length)) return false;
        if (text->n_dims < 2) text->shape[text->n_dims] = length;
        if (take_word(text, ",")) continue;
        text->n_dims++;
        return text->n_dims > 1 && take_word(text, ")"); /* (3) is no tuple in Python */
    }
    return true;
}

static bool take_order(header *text) {
    text->is_fortran = take_word(text, "True");
    return text->is_fortran || take_word(text, "False");
}

static bool take_dictionary(header *text) {
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take_word(text, "{")) return false;
    while (!take_word(text, "}")) {
        char key[16];
        if (!take_string(text, key, sizeof key) || !take_word(text, ":")) return false;
        bool *has = strcmp(key, "descr") == 0           ? &has_descr
                    : strcmp(key, "fortran_order") == 0 ? &has_order
                    : strcmp(key, "shape") == 0         ? &has_shape
                                                        : NULL;
        if (has == NULL || *has) return false;
        *has = true;
        if (has == &has_descr && !take_string(text, text->descr, sizeof text->descr)) return false;
        if (has == &has_order && !take_order(text)) return false;
        if (has == &has_shape && !take_npy_shape(text)) return false;
        if (!take_word(text, ",")) {
            if (!take_word(text, "}")) return false;
            break;
        }
    }
    skip_spaces(text);
    return text->at == text->end && has_descr && has_order && has_shape;
}

/* "<f8": byte order, kind and number of bytes. */
static bool read_type(const char *descr, sm_npy *npy) {
    npy->is_big_endian = *descr == '>' || (*descr != '<' && machine_is_big_endian);
    if (*descr == '<' || *descr == '>' || *descr == '=' || *descr == '|') descr++;
    if (descr[0] == '\0' || descr[1] == '\0' || descr[2] != '\0') return false;
    npy->item_bytes = (size_t)(descr[1] - '0');
    bool is_power = descr[1] == '1' || descr[1] == '2' || descr[1] == '4' || descr[1] == '8';
    switch (descr[0]) {
    case 'f': npy->type = descr[1] == '4' ? SM_NPY_F32 : SM_NPY_F64; return descr[1] == '4' || descr[1] == '8';
    case 'i': npy->type = SM_NPY_INT; return is_power;
    case 'u': npy->type = SM_NPY_UINT; return is_power;
    case 'b': npy->type = SM_NPY_BOOL; return descr[1] == '1';
    default: return false;
    }
}

static smerf_status fail_npy(const sm_source *source, smerf_error *error, const char *what) {
    return sm_fail(error, SMERF_BAD_INPUT, "%s: %s", source->name, what);
}

/* Finds the header between the first bytes and the numbers. */
static smerf_status find_header(const sm_source *source, header *text, smerf_error *error) {
    const unsigned char *bytes = (const unsigned char *)source->bytes;
    size_t n_bytes = source->n_bytes;
    if (n_bytes < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return fail_npy(source, error, "does not start as a .npy file does (numpy.save writes one)");
    if (n_bytes < 10) return fail_npy(source, error, "ends within the header of a .npy file");
    if (bytes[6] < 1 || bytes[6] > 3)
        return sm_fail(error, SMERF_BAD_INPUT, "%s: is a .npy file of version %u.%u, and 1 to 3 can be read",
                       source->name, bytes[6], bytes[7]);
    size_t start = bytes[6] == 1 ? 10 : 12;
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (start == 12 && n_bytes >= start) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (n_bytes < start || n_bytes - start < length)
        return fail_npy(source, error, "ends within the header of a .npy file");
    *text = (header){.at = source->bytes + start, .end = source->bytes + start + length};
    return SMERF_OK;
}

smerf_status sm_npy_read(const sm_source *source, sm_npy *npy, smerf_error *error) {
    header text;
    smerf_status status = find_header(source, &text, error);
    if (status != SMERF_OK) return status;
    *npy = (sm_npy){.source = source, .data = text.end};
    if (!take_dictionary(&text)) {
        if (memchr(source->bytes, '[', (size_t)(npy->data - source->bytes)) != NULL)
            return fail_npy(source, error, "holds records, and an array of plain numbers is needed");
        return fail_npy(source, error, "has a header that is none of a .npy file");
    }
    char shown[SM_QUOTE];
    if (!read_type(text.descr, npy))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "%s: holds numbers of type '%s', and float32, float64, integers and booleans can be read",
                       source->name, sm_quote(text.descr, strlen(text.descr), shown));
    if (text.n_dims < 1 || text.n_dims > 2)
        return sm_fail(error, SMERF_BAD_INPUT, "%s: has %zu dimensions, and 1 or 2 can be read", source->name,
                       text.n_dims);
    npy->is_fortran = text.is_fortran;
    npy->n_dims = text.n_dims;
    npy->shape[0] = text.shape[0];
    npy->shape[1] = text.n_dims == 2 ? text.shape[1] : 1;
    size_t n_bytes = sm_size(sm_size(npy->shape[0], npy->shape[1], 0), npy->item_bytes, 0);
    size_t n_there = source->n_bytes - (size_t)(npy->data - source->bytes);
    if (text.is_too_large || n_bytes == SIZE_MAX)
        return fail_npy(source, error, "has a header that asks for more numbers than any file can hold");
    if (n_bytes != n_there)
        return sm_fail(error, SMERF_BAD_INPUT, "%s: has %zu bytes of numbers, and its header (%zu x %zu) needs %zu",
                       source->name, n_there, npy->shape[0], npy->shape[1], n_bytes);
    return SMERF_OK;
}

/* ---- The numbers ---- */

/* The bits of one number as the machine orders them. */
static inline uint64_t get_bits(const char *at, size_t item_bytes, bool is_swapped) {
    uint8_t bits8;
    uint16_t bits16;
    uint32_t bits32;
    uint64_t bits64;
    switch (item_bytes) {
    case 1: memcpy(&bits8, at, sizeof bits8); return bits8;
    case 2: memcpy(&bits16, at, sizeof bits16); return is_swapped ? __builtin_bswap16(bits16) : bits16;
    case 4: memcpy(&bits32, at, sizeof bits32); return is_swapped ? __builtin_bswap32(bits32) : bits32;
    default: memcpy(&bits64, at, sizeof bits64); return is_swapped ? __builtin_bswap64(bits64) : bits64;
    }
}

static inline double to_double(uint64_t bits, sm_npy_type type, size_t item_bytes) {
    uint32_t low = (uint32_t)bits;
    unsigned unused = 64 - 8 * (unsigned)item_bytes;
    float single;
    double number;
    switch (type) {
    case SM_NPY_F32: memcpy(&single, &low, sizeof single); return single;
    case SM_NPY_F64: memcpy(&number, &bits, sizeof number); return number;
    case SM_NPY_INT: return (double)((int64_t)(bits << unused) >> unused); /* spreads the sign */
    case SM_NPY_UINT: return (double)bits;
    case SM_NPY_BOOL: return bits != 0;
    }
    return 0;
}

/* n numbers that stand one after the other. */
static inline void get_run(const char *at, sm_npy_type type, size_t item_bytes, bool is_swapped, size_t n,
                           double *numbers) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = to_double(get_bits(at + i * item_bytes, item_bytes, is_swapped), type, item_bytes);
}

/* Each common type has a loop of its own, without a branch inside. */
void sm_npy_convert(const sm_npy *npy, const char *at, size_t n, double *numbers) {
    bool is_swapped = npy->is_big_endian != machine_is_big_endian;
    if (npy->type == SM_NPY_F32 && !is_swapped)
        get_run(at, SM_NPY_F32, 4, false, n, numbers);
    else if (npy->type == SM_NPY_F64 && !is_swapped)
        get_run(at, SM_NPY_F64, 8, false, n, numbers);
    else
        get_run(at, npy->type, npy->item_bytes, is_swapped, n, numbers);
}

bool sm_npy_has_doubles(const sm_npy *npy) {
    return npy->type == SM_NPY_F64 && npy->is_big_endian == machine_is_big_endian;
}

void sm_npy_get_run(const sm_npy *npy, size_t first, size_t n, double *numbers) {
    sm_npy_convert(npy, npy->data + first * npy->item_bytes, n, numbers);
}

static size_t number_index(const sm_npy *npy, size_t row, size_t column) {
    return npy->is_fortran ? column * npy->shape[0] + row : row * npy->shape[1] + column;
}

double sm_npy_get(const sm_npy *npy, size_t row, size_t column) {
    double number;
    sm_npy_get_run(npy, number_index(npy, row, column), 1, &number);
    return number;
}

static size_t tile_length(size_t first, size_t end) { return end - first < SM_NPY_TILE ? end - first : SM_NPY_TILE; }

bool sm_npy_next_tile(const sm_npy *npy, sm_npy_tile *tile) {
    if (npy->shape[0] == 0 || npy->shape[1] == 0) return false;
    /* A band of tiles goes along the lines of the file, which are columns in Fortran's order. */
    size_t *along = npy->is_fortran ? &tile->row : &tile->column,
           *across = npy->is_fortran ? &tile->column : &tile->row;
    size_t length = npy->is_fortran ? tile->n_rows : tile->n_columns, end = npy->shape[npy->is_fortran ? 0 : 1];
    *along += length;
    if (*along == end) {
        *along = 0;
        *across += npy->is_fortran ? tile->n_columns : tile->n_rows;
        size_t n_read = *across * end * npy->item_bytes + (size_t)(npy->data - npy->source->bytes);
        sm_source_pass(npy->source, &tile->n_behind, n_read);
    }
    tile->n_rows = tile_length(tile->row, npy->shape[0]);
    tile->n_columns = tile_length(tile->column, npy->shape[1]);
    return tile->n_rows > 0 && tile->n_columns > 0;
}

void sm_npy_get_tile(const sm_npy *npy, const sm_npy_tile *tile, double *numbers) {
    if (!npy->is_fortran) {
        for (size_t i = 0; i < tile->n_rows; i++)
            sm_npy_get_run(npy, number_index(npy, tile->row + i, tile->column), tile->n_columns,
                           numbers + i * tile->n_columns);
        return;
    }
    double run[SM_NPY_TILE];
    for (size_t j = 0; j < tile->n_columns; j++) {
        sm_npy_get_run(npy, number_index(npy, tile->row, tile->column + j), tile->n_rows, run);
        for (size_t i = 0; i < tile->n_rows; i++) numbers[i * tile->n_columns + j] = run[i];
    }
}

void sm_npy_write_header(sm_output *output, size_t item_bytes, size_t n_dims, const size_t shape[2]) {
    char sizes[64], text[192];
    if (n_dims == 1)
        snprintf(sizes, sizeof sizes, "(%zu,)", shape[0]);
    else
        snprintf(sizes, sizeof sizes, "(%zu, %zu)", shape[0], shape[1]);
    int n = snprintf(text, sizeof text, "{'descr': '%cf%zu', 'fortran_order': False, 'shape': %s, }",
                     machine_is_big_endian ? '>' : '<', item_bytes, sizes);
    unsigned length = (10u + (unsigned)n + 1 + 63) / 64 * 64 - 10; /* so that the numbers start on a cache line */
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(length & 0xFF), (char)(length >> 8)};
    sm_output_write(output, start, sizeof start);
    sm_output_print(output, "%-*s\n", (int)length - 1, text);
}
