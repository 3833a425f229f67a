/* names.c - a hash table from names to indices: see names.h.
 *
 * All names stand one after the other in one text, each ended by NUL; starts[index] says where. The hash table holds
 * indices: open addressing with linear probing, at most half full, a power of two slots. Half of the hash is kept beside
 * each index, so that hardly any other name is compared than the right one. */
#include "io/text/names.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

typedef struct slot {
    uint32_t index; /* SMERF_MISSING: free */
    uint32_t mark;  /* the upper half of the name's hash; the lower half chooses the slot */
} slot;

struct sm_names {
    char *text;
    size_t text_capacity;
    size_t *starts; /* [n + 1]; the last is where the next name will start */
    size_t starts_capacity;
    size_t n;
    slot *slots; /* [n_slots] */
    size_t n_slots;
};

enum { FIRST_SLOTS = 64, AT_ONCE = 64 };

static slot *new_slots(size_t n_slots) {
    slot *slots = sm_array(n_slots, sizeof *slots);
    if (slots != NULL) memset(slots, 0xFF, n_slots * sizeof *slots); /* SMERF_MISSING */
    return slots;
}

static bool reserve_names(sm_names *names, size_t text_bytes, size_t n_starts) {
    void *text = names->text, *starts = names->starts;
    bool fits = sm_grow(&text, &names->text_capacity, text_bytes, 1) &&
                sm_grow(&starts, &names->starts_capacity, n_starts, sizeof *names->starts);
    names->text = text;
    names->starts = starts;
    return fits;
}

sm_names *sm_names_new(void) {
    sm_names *names = sm_zeros(1, sizeof *names);
    if (names == NULL) return NULL;
    names->n_slots = FIRST_SLOTS;
    names->slots = new_slots(FIRST_SLOTS);
    if (names->slots == NULL || !reserve_names(names, 0, 1)) {
        sm_names_free(names);
        return NULL;
    }
    names->starts[0] = 0;
    return names;
}

void sm_names_free(sm_names *names) {
    if (names == NULL) return;
    sm_free(names->text);
    sm_free(names->starts);
    sm_free(names->slots);
    sm_free(names);
}

static uint64_t hash_of(const sm_names *names, const char *text, size_t n) {
    return sm_hash(text, n, (uint64_t)(uintptr_t)names); /* so that no file can be written to make all names collide */
}

static uint32_t mark_of(uint64_t hash) { return (uint32_t)(hash >> 32); }

/* The first slot from this one on that is free, or holds a name with this mark. */
static slot *next_slot(const sm_names *names, size_t from, uint32_t mark) {
    for (size_t mask = names->n_slots - 1;; from++) {
        slot *here = &names->slots[from & mask];
        if (here->index == SMERF_MISSING || here->mark == mark) return here;
    }
}

/* The slot that holds the name, or the free one where it belongs. */
static slot *find_slot(const sm_names *names, uint64_t hash, const char *text, size_t n) {
    for (size_t from = (size_t)hash;;) {
        slot *here = next_slot(names, from, mark_of(hash));
        if (here->index == SMERF_MISSING) return here;
        size_t start = names->starts[here->index];
        if (names->starts[here->index + 1] - start == n + 1 && memcmp(names->text + start, text, n) == 0) return here;
        from = (size_t)(here - names->slots) + 1; /* another name of the same mark */
    }
}

static bool double_slots(sm_names *names) {
    size_t n_slots = 2 * names->n_slots;
    slot *slots = new_slots(n_slots);
    if (slots == NULL) return false;
    sm_free(names->slots);
    names->slots = slots;
    names->n_slots = n_slots;
    for (uint32_t index = 0; index < names->n; index++) {
        const char *text = sm_names_get(names, index);
        size_t n = names->starts[index + 1] - names->starts[index] - 1;
        uint64_t hash = hash_of(names, text, n);
        *find_slot(names, hash, text, n) = (slot){index, mark_of(hash)};
    }
    return true;
}

uint32_t sm_names_add(sm_names *names, const char *text, size_t n, bool *is_new) {
    uint64_t hash = hash_of(names, text, n);
    slot *here = find_slot(names, hash, text, n);
    *is_new = here->index == SMERF_MISSING;
    if (!*is_new) return here->index;
    if (names->n >= SMERF_MISSING) return SMERF_MISSING;
    if (2 * (names->n + 1) > names->n_slots) {
        if (!double_slots(names)) return SMERF_MISSING;
        here = find_slot(names, hash, text, n);
    }
    size_t start = names->starts[names->n];
    if (!reserve_names(names, sm_size(1, start, n + 1), names->n + 2)) return SMERF_MISSING;
    memcpy(names->text + start, text, n);
    names->text[start + n] = '\0';
    uint32_t index = (uint32_t)names->n++;
    names->starts[index + 1] = start + n + 1;
    *here = (slot){index, mark_of(hash)};
    return index;
}

uint32_t sm_names_find(const sm_names *names, const char *text, size_t n) {
    return find_slot(names, hash_of(names, text, n), text, n)->index;
}

/* Each step prefetches what the next one reads, for all names: their cache misses overlap. */
void sm_names_find_many(const sm_names *names, const sm_text *texts, size_t n, uint32_t *indices) {
    uint64_t hashes[AT_ONCE];
    for (; n > 0;) {
        size_t n_now = n < AT_ONCE ? n : AT_ONCE;
        for (size_t k = 0; k < n_now; k++) {
            hashes[k] = hash_of(names, texts[k].bytes, texts[k].n);
            __builtin_prefetch(&names->slots[hashes[k] & (names->n_slots - 1)]);
        }
        for (size_t k = 0; k < n_now; k++) {
            indices[k] = next_slot(names, (size_t)hashes[k], mark_of(hashes[k]))->index;
            if (indices[k] != SMERF_MISSING) __builtin_prefetch(&names->starts[indices[k]]);
        }
        for (size_t k = 0; k < n_now; k++)
            if (indices[k] != SMERF_MISSING) __builtin_prefetch(sm_names_get(names, indices[k]));
        for (size_t k = 0; k < n_now; k++) indices[k] = find_slot(names, hashes[k], texts[k].bytes, texts[k].n)->index;
        texts += n_now;
        indices += n_now;
        n -= n_now;
    }
}

size_t sm_names_count(const sm_names *names) { return names->n; }

const char *sm_names_get(const sm_names *names, uint32_t index) { return names->text + names->starts[index]; }

char **sm_names_list(const sm_names *names) {
    size_t n_bytes = names->starts[names->n];
    char **list = sm_array(sm_size(names->n, sizeof *list, n_bytes), 1);
    if (list == NULL) return NULL;
    char *text = (char *)(list + names->n);
    if (n_bytes > 0) memcpy(text, names->text, n_bytes);
    for (size_t index = 0; index < names->n; index++) list[index] = text + names->starts[index];
    return list;
}

smerf_status sm_id_table_start(sm_id_table *id_table, char *const *ids, size_t n_items, smerf_error *error) {
    *id_table = (sm_id_table){.n_items = n_items};
    if (ids == NULL) return SMERF_OK;
    id_table->ids = sm_names_new();
    bool is_new;
    for (size_t i = 0; id_table->ids != NULL && i < n_items; i++)
        if (sm_names_add(id_table->ids, ids[i], strlen(ids[i]), &is_new) == SMERF_MISSING) sm_id_table_stop(id_table);
    return id_table->ids != NULL ? SMERF_OK : sm_no_memory(error, "reading ids");
}

void sm_id_table_stop(sm_id_table *id_table) {
    sm_names_free(id_table->ids);
    id_table->ids = NULL;
}

uint32_t sm_id_table_find(const sm_id_table *id_table, const char *text, size_t n) {
    if (id_table->ids != NULL) return sm_names_find(id_table->ids, text, n);
    uint64_t number = 0;
    if (n == 0 || n > 10 || (text[0] == '0' && n > 1)) return SMERF_MISSING; /* ten digits hold any uint32_t */
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return SMERF_MISSING;
        number = 10 * number + (uint64_t)(text[i] - '0');
    }
    return number < id_table->n_items && number < SMERF_MISSING ? (uint32_t)number : SMERF_MISSING;
}

void sm_id_table_find_many(const sm_id_table *id_table, const sm_text *texts, size_t n, uint32_t *indices) {
    if (id_table->ids != NULL) {
        sm_names_find_many(id_table->ids, texts, n, indices);
        return;
    }
    for (size_t k = 0; k < n; k++) indices[k] = sm_id_table_find(id_table, texts[k].bytes, texts[k].n);
}
