/* nearest.c - see nearest.h. */
#include "predict/nearest.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_farther(const smerf_neighbor *a, const smerf_neighbor *b) {
    return a->distance > b->distance || (a->distance == b->distance && a->item > b->item);
}

static void swap(smerf_neighbor *a, smerf_neighbor *b) {
    smerf_neighbor kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(smerf_neighbor *heap, size_t place) {
    for (; place > 0 && is_farther(&heap[place], &heap[(place - 1) / 2]); place = (place - 1) / 2)
        swap(&heap[place], &heap[(place - 1) / 2]);
}

static void sink(smerf_neighbor *heap, size_t n) {
    for (size_t place = 0, child = 1; child < n; place = child, child = 2 * place + 1) {
        if (child + 1 < n && is_farther(&heap[child + 1], &heap[child])) child++;
        if (!is_farther(&heap[child], &heap[place])) return;
        swap(&heap[child], &heap[place]);
    }
}

bool sm_nearest_keep(sm_nearest *nearest, size_t item, double distance) {
    smerf_neighbor neighbor = {.item = item, .distance = distance};
    if (nearest->n == nearest->most) {
        nearest->kept[0] = neighbor;
        sink(nearest->kept, nearest->n);
        return true;
    }
    if (!sm_grow((void **)&nearest->kept, &nearest->capacity, nearest->n + 1, sizeof *nearest->kept)) return false;
    nearest->kept[nearest->n++] = neighbor;
    if (nearest->most < SIZE_MAX) rise(nearest->kept, nearest->n - 1);
    return true;
}

static int compare(const void *a, const void *b) { return is_farther(a, b) - is_farther(b, a); }

void sm_nearest_sort(sm_nearest *nearest) {
    if (nearest->n > 1) qsort(nearest->kept, nearest->n, sizeof *nearest->kept, compare);
}
