/* triplets.h - the triplets of --triplets, as they are listed. */
#ifndef CLI_TRIPLETS_H
#define CLI_TRIPLETS_H

#include "common.h"
#include "io/pairs/pairs.h"

/* As --triplets and --triplet-columns say. */
smerf_status cli_read_listed_triplets(const cli_args *args, const cli_items *items, sm_pairs *triplets,
                                      smerf_error *error);

#endif
