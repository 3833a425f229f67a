/* square.c - see square.h. */
#include "base/square.h"

#include <math.h>

/* 64 lines of 64 floats and as many of the mirror image: 32 kB. */
enum { TILE = 64 };

/* A tile that touches or lies above the diagonal. */
typedef struct tile {
    size_t first_row, rows_end, first_column, columns_end;
} tile;

/* The next tile, row by row of tiles; the first comes after {0}. False: there is none. */
static bool next_tile(tile *at, size_t n) {
    if (at->columns_end < n) {
        at->first_column = at->columns_end;
    } else {
        at->first_row = at->rows_end;
        at->first_column = at->rows_end;
    }
    at->rows_end = n - at->first_row < TILE ? n : at->first_row + TILE;
    at->columns_end = n - at->first_column < TILE ? n : at->first_column + TILE;
    return at->first_row < n;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void sm_square_mirror(float *z, size_t n) {
    for (tile at = {0}; next_tile(&at, n);)
        for (size_t i = at.first_row; i < at.rows_end; i++)
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++) z[j * n + i] = z[i * n + j];
}

static float mean(float a, float b) {
    float between = (float)(((double)a + (double)b) / 2);
    return !isnan(between) ? between : isnan(a) ? b : a;
}

void sm_square_average(float *z, size_t n) {
    for (tile at = {0}; next_tile(&at, n);)
        for (size_t i = at.first_row; i < at.rows_end; i++)
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++)
                z[i * n + j] = z[j * n + i] = mean(z[i * n + j], z[j * n + i]);
}

bool sm_square_is_symmetric(const float *z, size_t n, size_t *row, size_t *column) {
    bool is_symmetric = true;
    for (tile at = {0}; next_tile(&at, n);) {
        if (!is_symmetric && at.first_row > *row) break; /* later tiles have later rows only */
        size_t rows_end = is_symmetric ? at.rows_end : *row;
        for (size_t i = at.first_row; i < rows_end; i++) {
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++) {
                if (z[i * n + j] == z[j * n + i] || (isnan(z[i * n + j]) && isnan(z[j * n + i]))) continue;
                is_symmetric = false;
                *row = rows_end = i; /* of later tiles only an earlier row could come before it */
                *column = j;
                break;
            }
        }
    }
    return is_symmetric;
}
