/* npy.h - NumPy's .npy files: the header, and the numbers of an array in any order and type. */
#ifndef SM_IO_NPY_H
#define SM_IO_NPY_H

#include "base/output.h"
#include "io/text/text.h"

typedef enum sm_npy_type { SM_NPY_F32, SM_NPY_F64, SM_NPY_INT, SM_NPY_UINT, SM_NPY_BOOL } sm_npy_type;

typedef struct sm_npy {
    sm_npy_type type;
    size_t item_bytes; /* 1, 2, 4 or 8 */
    bool is_big_endian;
    bool is_fortran;
    size_t n_dims;   /* 1 or 2 */
    size_t shape[2]; /* shape[1] is 1 if there is one dimension */
    const sm_source *source;
    const char *data; /* shape[0] * shape[1] * item_bytes bytes inside the source */
} sm_npy;

/* Whether the bytes start as a .npy file does, or the name ends so. */
bool sm_npy_is(const sm_source *source);

/* Versions 1, 2 and 3. Refuses anything else with a sentence: other types (complex, text, objects), other numbers of
 * dimensions, a file that is shorter or longer than its header says, sizes that overflow. */
smerf_status sm_npy_read(const sm_source *source, sm_npy *npy, smerf_error *error);

/* One number, by row and column whatever the order in the file. */
double sm_npy_get(const sm_npy *npy, size_t row, size_t column);

/* n numbers as they stand in the file one after the other, from number `first` on; or from bytes that were read from it. */
void sm_npy_get_run(const sm_npy *npy, size_t first, size_t n, double *numbers);
void sm_npy_convert(const sm_npy *npy, const char *bytes, size_t n, double *numbers);

/* Whether the bytes of its numbers are doubles as they stand. */
bool sm_npy_has_doubles(const sm_npy *npy);

/* The side of a tile: small enough that a tile is read and written within the cache, whatever the order. */
#define SM_NPY_TILE ((size_t)64)

/* A part of the array, at most SM_NPY_TILE rows and columns, for reading all of it fast. */
typedef struct sm_npy_tile {
    size_t row, n_rows, column, n_columns;
    size_t n_behind; /* see sm_source_pass */
} sm_npy_tile;

/* The next tile, in the order of the file, so that memory is needed for a few of them only; the first comes after {0}.
 * False: there is none. */
bool sm_npy_next_tile(const sm_npy *npy, sm_npy_tile *tile);

/* The numbers of a tile.
 *   numbers  [n_rows][n_columns] row-major, the caller's */
void sm_npy_get_tile(const sm_npy *npy, const sm_npy_tile *tile, double *numbers);

/* Writes the header of a C-ordered float32 (item_bytes 4) or float64 (8) array; the caller writes the numbers. */
void sm_npy_write_header(sm_output *output, size_t item_bytes, size_t n_dims, const size_t shape[2]);

#endif
