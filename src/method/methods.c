/* methods.c - the table of methods. */
#include "method/methods.h"

#include <string.h>

typedef struct entry {
    const char *name;
    const sm_method *method; /* NULL: the forest */
    bool learns_pairs;
} entry;

static const entry methods[SMERF_N_METHODS] = {
    [SMERF_METHOD_FOREST] = {"smerf", NULL, true},
    [SMERF_METHOD_EUCLIDEAN] = {"euclidean", &sm_method_euclidean, false},
    [SMERF_METHOD_MAHALANOBIS] = {"mahalanobis", &sm_method_mahalanobis, true},
    [SMERF_METHOD_BILINEAR] = {"bilinear", &sm_method_bilinear, true},
    [SMERF_METHOD_RFD] = {"rfd", &sm_method_rfd, true},
    [SMERF_METHOD_PLUGIN] = {"plugin", &sm_method_plugin, true},
    [SMERF_METHOD_EPM] = {"epm", &sm_method_epm, true},
    [SMERF_METHOD_NARM] = {"narm", &sm_method_narm, true},
    [SMERF_METHOD_MEAN] = {"mean", &sm_method_mean, false},
    [SMERF_METHOD_STANDARDIZED] = {"standardized", &sm_method_standardized, false},
    [SMERF_METHOD_GOWER] = {"gower", &sm_method_gower, false},
    [SMERF_METHOD_BOOST] = {"boost", &sm_method_boost, true},
};

const char *smerf_method_name(smerf_method method) { return methods[method].name; }

bool smerf_method_learns_pairs(smerf_method method) { return methods[method].learns_pairs; }

const sm_method *sm_method_of(smerf_method method) { return methods[method].method; }

bool sm_method_find(const char *name, smerf_method *out) {
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        if (methods[m].name == NULL || strcmp(methods[m].name, name) != 0) continue;
        *out = (smerf_method)m;
        return true;
    }
    return false;
}
