/* sample.h - what a tree is grown on. */
#ifndef SM_TRAIN_SAMPLE_H
#define SM_TRAIN_SAMPLE_H

#include "train/grow/problem.h"

/* How often tree `number` draws each item.
 *   draws  [n_items] out */
void sm_sample_draw(const sm_problem *problem, size_t number, uint32_t *draws);

#endif
