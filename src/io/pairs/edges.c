/* edges.c - see edges.h. Lines of CSV are read in pair_lines.c, Matrix Market in market.c. */
#include "io/pairs/edges.h"

#include "io/pairs/market.h"
#include "io/pairs/pair_lines.h"

static smerf_status read_market(const sm_source *source, const sm_pairs_spec *spec, sm_pairs *edges,
                                smerf_error *error) {
    if (spec->value_column != NULL)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "%s: a Matrix Market file has no columns of which --value could choose one", source->name);
    if (spec->is_square) return sm_market_read(source, spec->rows.n, edges, error);
    return sm_fail(error, SMERF_BAD_INPUT,
                   "%s: a Matrix Market file has no ids, and edges between two sets of items need them: "
                   "CSV with source,target has",
                   source->name);
}

static smerf_status read_csv(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    lines->noun = "edge";
    lines->value_noun = "weight";
    lines->has_loops = false;
    if (lines->source.n_bytes > 0 && lines->source.bytes[0] == '%')
        return sm_source_fail(&lines->source, 0, lines->error,
                              "\"%%\" opens no CSV file, and Matrix Market starts with %%%%MatrixMarket");
    smerf_status status = sm_pair_lines_read_header(lines);
    if (status != SMERF_OK) return status;
    if (spec->value_column != NULL)
        status = sm_pair_lines_need(lines, spec->value_column, &lines->value);
    else
        status = sm_pair_lines_find(lines, "weight", &lines->value);
    return status == SMERF_OK ? sm_pair_lines_read(lines) : status;
}

smerf_status sm_edges_read(const char *path, const sm_pairs_spec *spec, sm_pairs *edges, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    if (status == SMERF_OK && sm_market_is(&lines.source))
        status = read_market(&lines.source, spec, &lines.pairs, error);
    else if (status == SMERF_OK)
        status = read_csv(&lines, spec);
    return sm_pair_lines_close(&lines, status, edges);
}
