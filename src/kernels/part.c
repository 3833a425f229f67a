/* part.c - parting a list in plain C, and the choice between it and its twin. */
#include "kernels/part.h"

/* Each number is written to both sides, and kept on one: there is nothing to guess. The right side is written from the end of
 * the spare room on, backwards, so that one count says where both go on. */
size_t sm_part_scalar(const sm_parting *parting, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare) {
    (void)parting;
    size_t n_left = 0, k = 0;
    for (; k + 4 <= n; k += 4) {
        const uint32_t four[4] = {list[k], list[k + 1], list[k + 2], list[k + 3]};
        for (size_t i = 0; i < 4; i++) {
            list[n_left] = spare[n - 1 - k - i + n_left] = four[i];
            n_left += goes_left[four[i]];
        }
    }
    for (; k < n; k++) {
        uint32_t number = list[k];
        list[n_left] = spare[n - 1 - k + n_left] = number;
        n_left += goes_left[number];
    }
    for (size_t r = n_left; r < n; r++) list[r] = spare[n - 1 - (r - n_left)];
    return n_left;
}

void sm_parting_start(sm_parting *parting, smerf_kernels choice) {
    *parting = (sm_parting){.part = sm_part_scalar};
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (choice == SMERF_KERNELS_PLAIN || !__builtin_cpu_supports("avx2")) return;
    parting->part = sm_part_avx2;
    for (unsigned going = 0; going < 256; going++)
        for (unsigned place = 0, n = 0; place < 8; place++)
            if (going >> place & 1) parting->places[going] |= (uint64_t)place << 8 * n++;
#else
    (void)choice;
#endif
}
