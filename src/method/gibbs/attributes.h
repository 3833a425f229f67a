/* attributes.h - features as yes-or-no attributes, which is what narm understands.
 *
 *   a number that is only ever 0 or 1   one attribute: it is 1
 *   any other number                    up to four: the intervals between its quartiles among the training items,
 *                                       x <= q1, q1 < x <= q2, q2 < x <= q3, q3 < x. Equal cut points are one, and none
 *                                       is made at the largest value: above it is nobody. One value only: no attribute
 *   a category                          one for each level
 *   a missing value                     has none of the attributes of its feature; nor has an unknown level
 *   every item                          the default attribute, which is the last
 *
 * A quartile is a value of the data: the smallest one that a quarter (half, three quarters) of them do not exceed. */
#ifndef SM_METHOD_ATTRIBUTES_H
#define SM_METHOD_ATTRIBUTES_H

#include "base/tensors.h"
#include "data/items.h"

enum { SM_MOST_CUTS = 3 };

typedef struct sm_attributes {
    size_t n;          /* the default one included */
    size_t n_features; /* of the items */
    struct sm_coding {
        bool is_category;
        uint32_t n, first; /* its attributes; a number with one is 0 or 1 */
        double cut[SM_MOST_CUTS];
    } * coding; /* [n_features] */
} sm_attributes;

smerf_status sm_attributes_learn(sm_attributes *attributes, const sm_features *features, const sm_view *view,
                                 smerf_error *error);
void sm_attributes_free(sm_attributes *attributes);

/* The attributes that an item has, ascending; returns how many.   set  [n_features + 1] out */
size_t sm_attributes_of(const sm_attributes *attributes, const sm_view *view, size_t item, uint32_t *set);

/* The other way round: the items that have each attribute. */
typedef struct sm_attribute_members {
    size_t n_attributes;
    size_t *first;  /* [n_attributes + 1] */
    uint32_t *item; /* ascending for each attribute */
} sm_attribute_members;

smerf_status sm_attribute_members_new(sm_attribute_members *members, const sm_attributes *attributes,
                                      const sm_view *view, smerf_error *error);
void sm_attribute_members_free(sm_attribute_members *members);

/* As "learned.n_attributes" and "learned.cuts"; both are checked against the features when they come back. */
smerf_status sm_attributes_save(const sm_attributes *attributes, sm_tensors *tensors, smerf_error *error);
smerf_status sm_attributes_load(sm_attributes *attributes, const sm_features *features, const sm_tensors *tensors,
                                smerf_error *error);

#endif
