/* design.h - items as rows of numbers, for methods that multiply and add.
 *
 * A number is one column, as given. A category is one column for each level that the model knows, 1 for the item's own
 * level and 0 for the others. A missing value becomes the mean of its column over the training items that have one: of a
 * category, the fraction of each level. (A level that training never saw counts as missing.) A column without any value
 * has mean 0. The means are learned, and saved with the model as "learned.means". */
#ifndef SM_METHOD_DESIGN_H
#define SM_METHOD_DESIGN_H

#include "base/tensors.h"
#include "data/items.h"

typedef struct sm_design {
    size_t n_features, n_columns;
    size_t *first; /* [n_features + 1] the columns of feature f are first[f] .. first[f + 1] - 1 */
    double *mean;  /* [n_columns] */
} sm_design;

/* Numbers beyond this would overflow when they are squared and added. */
#define SM_LARGEST_FEATURE 1e150

/* How many columns the features make. */
size_t sm_design_width(const sm_features *features);

smerf_status sm_design_learn(sm_design *design, const sm_features *features, const sm_view *view, smerf_error *error);
void sm_design_free(sm_design *design); /* takes one filled with zeros */

/* Refuses numbers beyond SM_LARGEST_FEATURE. */
smerf_status sm_design_check(const sm_features *features, const sm_view *view, smerf_error *error);

/* One item.   x  [n_columns] out */
void sm_design_row(const sm_design *design, const sm_view *view, size_t item, double *x);

smerf_status sm_design_save(const sm_design *design, sm_tensors *tensors, smerf_error *error);
smerf_status sm_design_load(sm_design *design, const sm_features *features, const sm_tensors *tensors,
                            smerf_error *error);

#endif
