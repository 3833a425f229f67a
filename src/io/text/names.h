/* names.h - hash tables: from names to indices (sm_names), and from the ids of items to rows (sm_id_table). */
#ifndef SM_IO_NAMES_H
#define SM_IO_NAMES_H

#include "base/status.h"

typedef struct sm_names sm_names;

sm_names *sm_names_new(void); /* NULL: no memory */
void sm_names_free(sm_names *names);

/* The index of a name, adding a copy of it if it is new; *is_new says which. SMERF_MISSING: no memory. */
uint32_t sm_names_add(sm_names *names, const char *text, size_t n, bool *is_new);

/* The index of a name, or SMERF_MISSING. */
uint32_t sm_names_find(const sm_names *names, const char *text, size_t n);

/* A text that need not end with NUL. */
typedef struct sm_text {
    const char *bytes;
    size_t n;
} sm_text;

/* The indices of several names, as sm_names_find gives them; faster for many at once, as their slots are prefetched. */
void sm_names_find_many(const sm_names *names, const sm_text *texts, size_t n, uint32_t *indices);

size_t sm_names_count(const sm_names *names);
const char *sm_names_get(const sm_names *names, uint32_t index); /* ended by NUL; valid until a name is added */

/* Copies of all names by index, in one block that one sm_free frees; NULL: no memory. */
char **sm_names_list(const sm_names *names);

/* Finds the rows of items that are called by their ids, or where they have none by their numbers from 0 ("0", "1", ... as written
 * here, without sign or leading zeros). */
typedef struct sm_id_table {
    size_t n_items;
    sm_names *ids; /* NULL: by number */
} sm_id_table;

/*   ids  [n_items], different from each other, or NULL; copied */
smerf_status sm_id_table_start(sm_id_table *id_table, char *const *ids, size_t n_items, smerf_error *error);
void sm_id_table_stop(sm_id_table *id_table); /* fine on one filled with zeros */

/* The row of an item, or SMERF_MISSING. */
uint32_t sm_id_table_find(const sm_id_table *id_table, const char *text, size_t n);
void sm_id_table_find_many(const sm_id_table *id_table, const sm_text *texts, size_t n, uint32_t *rows);

#endif
