/* square_matrix.h - small symmetric matrices [n][n]: a few sums and products, each in one fixed order. */
#ifndef SM_METHOD_SQUARE_MATRIX_H
#define SM_METHOD_SQUARE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* Sums over n numbers, in four lanes that are joined at the end. */
double sm_matrix_dot(const double *a, const double *b, size_t n);
double sm_matrix_norm(const double *a, size_t n);

/* Copies the upper triangle to the lower one. */
void sm_matrix_mirror(double *a, size_t n);

/* The mean of a and its mirror image. */
void sm_matrix_symmetrise(double *a, size_t n);

/* a becomes V A V', and V' A V.   vectors  [n][n], the rows of V    room  [n * n] */
void sm_matrix_turn(double *a, const double *vectors, size_t n, double *room);
void sm_matrix_turn_back(double *a, const double *vectors, size_t n, double *room);

#endif
