/* fit.c - learning with a method other than the forest. */
#include <stdio.h>

#include "base/memory.h"
#include "method/methods.h"

void sm_findings_add(sm_findings *findings, const char *name, double value) {
    struct sm_finding *finding = &findings->finding[findings->n++];
    snprintf(finding->name, sizeof finding->name, "%s", name);
    finding->value = value;
}
