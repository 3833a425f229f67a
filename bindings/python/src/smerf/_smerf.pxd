# What the module takes from smerf.h and smerf_study.h; the C compiler compares it with the headers.
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "smerf.h" nogil:
    const char *smerf_version()

    ctypedef enum smerf_status:
        SMERF_OK
        SMERF_NO_MEMORY
        SMERF_IO
        SMERF_CANCELLED
        SMERF_BAD_INPUT
        SMERF_BAD_FILE

    ctypedef struct smerf_mention:
        unsigned short at, length

    ctypedef struct smerf_error:
        smerf_status status
        char *message
        size_t row, column
        size_t n_mentions
        smerf_mention *mention

    ctypedef enum smerf_kind:
        SMERF_NUMBER
        SMERF_CATEGORY

    uint32_t SMERF_MISSING

    ctypedef struct smerf_column:
        const char *name
        smerf_kind kind
        const double *values
        const float *floats
        size_t step
        const uint32_t *codes
        const char **levels
        size_t n_levels

    ctypedef struct smerf_items:
        pass

    smerf_status smerf_items_new(const smerf_column *, size_t, size_t, smerf_items **, smerf_error *)
    void smerf_items_free(smerf_items *)
    smerf_status smerf_items_set_ids(smerf_items *, const char *, const char **, smerf_error *)
    smerf_status smerf_items_set_weights(smerf_items *, const char *, const double *, smerf_error *)

    ctypedef struct smerf_target:
        pass

    ctypedef struct smerf_pair_list:
        size_t n
        const uint32_t *left
        const uint32_t *right
        const double *value
        const double *weight

    smerf_status smerf_target_new_distances(const float *, size_t, smerf_target **, smerf_error *)
    smerf_status smerf_target_new_block(const float *, size_t, size_t, smerf_target **, smerf_error *)
    smerf_status smerf_target_new_labels(const char *, const uint32_t *, size_t, const char **, size_t, smerf_target **,
                                         smerf_error *)
    smerf_status smerf_target_new_response(const char **, const double **, size_t, size_t, smerf_target **,
                                           smerf_error *)
    smerf_status smerf_target_new_product(const char **, const double **, size_t, size_t, smerf_target **,
                                          smerf_error *)
    smerf_status smerf_target_new_absolute(const char *, const double *, size_t, smerf_target **, smerf_error *)
    smerf_status smerf_target_new_graph(const smerf_pair_list *, const smerf_pair_list *, size_t, smerf_target **,
                                        smerf_error *)
    smerf_status smerf_target_new_pairs(const smerf_pair_list *, size_t, smerf_target **, smerf_error *)
    ctypedef struct smerf_triplet_list:
        size_t n
        const uint32_t *anchor
        const uint32_t *near
        const uint32_t *far
        const double *weight
    smerf_status smerf_target_new_triplets(const smerf_triplet_list *, size_t, smerf_target **, smerf_error *)
    void smerf_target_note_similarities(smerf_target *, double)
    void smerf_target_note_no_diagonal(smerf_target *)
    void smerf_target_row(const smerf_target *, size_t, double *)
    smerf_status smerf_target_take(const smerf_target *, const uint32_t *, size_t, smerf_target **, smerf_error *)
    void smerf_target_free(smerf_target *)

    ctypedef enum smerf_splits:
        SMERF_AXIS
        SMERF_OBLIQUE
    ctypedef enum smerf_sample:
        SMERF_BOOTSTRAP
        SMERF_SUBSAMPLE
        SMERF_NO_SAMPLE
    ctypedef enum smerf_oob_rule:
        SMERF_OOB_AS_FITTED
        SMERF_OOB_BOTH
        SMERF_OOB_EITHER
    ctypedef enum smerf_self:
        SMERF_SELF_GIVEN
        SMERF_SELF_VALUE
        SMERF_SELF_EXCLUDE
        SMERF_SELF_AUTO
    ctypedef enum smerf_method:
        SMERF_METHOD_FOREST
    int SMERF_N_METHODS

    size_t SMERF_CANDIDATES_AUTO, SMERF_CANDIDATES_ALL, SMERF_CANDIDATES_PAPER, SMERF_NO_LIMIT, SMERF_COMPLETE_OFF, SMERF_COMPLETE_AUTO

    double SMERF_RIDGE_AUTO

    ctypedef struct smerf_baseline_options:
        size_t size, n_pairs, n_factors, n_burn, n_draws, n_chains, has_intercept
        double ridge
        size_t n_bags

    ctypedef enum smerf_boost_loss:
        SMERF_LOSS_AUTO

    ctypedef enum smerf_pair_features:
        SMERF_PAIRS_AUTO

    ctypedef enum smerf_boost_base:
        SMERF_BASE_NONE

    ctypedef struct smerf_boost_options:
        size_t size, n_rounds, most_rounds, n_leaves, min_leaf
        double learning_rate, l2
        size_t n_bags, pairs_a_round
        smerf_boost_loss loss
        smerf_pair_features pair_features
        smerf_boost_base base

    ctypedef struct smerf_options:
        size_t size
        smerf_method method
        uint64_t seed
        size_t first_tree, n_trees
        smerf_splits splits
        size_t candidates
        double candidates_power, density
        size_t min_parent, max_depth
        smerf_sample sample
        double sample_fraction
        smerf_oob_rule oob_rule
        smerf_self self_distance
        double self_value
        size_t complete, rank
        const smerf_baseline_options *baselines
        const smerf_boost_options *boost
        double shrink

    void smerf_options_default(smerf_options *)
    void smerf_baseline_options_default(smerf_baseline_options *)
    void smerf_boost_options_default(smerf_boost_options *)
    const char *smerf_method_name(smerf_method)
    bint smerf_method_learns_pairs(smerf_method)

    ctypedef int (*smerf_progress)(void *, double) noexcept

    ctypedef struct smerf_run:
        size_t size, n_threads
        smerf_progress progress
        void *context

    ctypedef struct smerf_model:
        pass

    smerf_status smerf_fit(const smerf_items *, smerf_target *, const smerf_options *, const smerf_run *,
                           smerf_model **, smerf_error *)
    void smerf_model_free(smerf_model *)

    ctypedef struct smerf_estimate:
        size_t size
        double seconds, bytes, model_bytes
        size_t n_trees_tried, n_items_tried

    smerf_status smerf_fit_estimate(const smerf_items *, smerf_target *, const smerf_options *, const smerf_run *,
                                    smerf_estimate *, smerf_error *)

    ctypedef struct smerf_request:
        size_t size
        const smerf_items *rows
        const smerf_items *columns
        bint out_of_bag
        smerf_oob_rule oob_rule
        size_t n_trees

    ctypedef int (*smerf_row_sink)(void *, size_t, const double *, size_t) noexcept

    smerf_status smerf_predict_rows(const smerf_model *, const smerf_request *, const smerf_run *, smerf_row_sink,
                                    void *, smerf_error *)

    ctypedef struct smerf_pair_result:
        size_t size
        double *distance
        double *spread

    smerf_status smerf_predict_pairs(const smerf_model *, const smerf_request *, const smerf_pair_list *,
                                     const smerf_run *, const smerf_pair_result *, smerf_error *)
    smerf_status smerf_predict_values(const smerf_model *, const smerf_request *, const smerf_run *, double *,
                                      smerf_error *)
    smerf_status smerf_predict_leaves(const smerf_model *, const smerf_items *, const smerf_run *, uint32_t *,
                                      smerf_error *)
    size_t smerf_model_n_values(const smerf_model *)
    const char *smerf_model_value_name(const smerf_model *, size_t)

    ctypedef struct smerf_neighborhood:
        size_t size
        const smerf_items *items
        const smerf_items *queries
        size_t k
        bint has_radius
        double radius
        bint out_of_bag
        smerf_oob_rule oob_rule

    ctypedef struct smerf_neighbor:
        size_t item
        double distance

    ctypedef int (*smerf_neighbor_sink)(void *, size_t, const smerf_neighbor *, size_t) noexcept

    smerf_status smerf_neighbors(const smerf_model *, const smerf_neighborhood *, const smerf_run *,
                                 smerf_neighbor_sink, void *, smerf_error *)

    smerf_status smerf_model_prepare(smerf_model *, const smerf_run *, smerf_error *)

    ctypedef struct smerf_index:
        pass

    smerf_status smerf_index_new(const smerf_model *, const smerf_items *, const smerf_run *, smerf_index **, smerf_error *)
    smerf_status smerf_index_add(smerf_index *, const smerf_items *, const smerf_run *, smerf_error *)
    void smerf_index_free(smerf_index *)
    size_t smerf_index_count(const smerf_index *)
    smerf_status smerf_index_query(const smerf_index *, const smerf_neighborhood *, const smerf_run *, smerf_neighbor_sink,
                                   void *, smerf_error *)
    smerf_status smerf_index_save(const smerf_index *, const char *, smerf_error *)
    smerf_status smerf_index_load(const char *, const smerf_model *, smerf_index **, smerf_error *)

    ctypedef struct smerf_known_values:
        size_t n_classes
        const uint32_t *codes
        const double *values

    smerf_status smerf_vote(const smerf_model *, const smerf_neighborhood *, const smerf_known_values *, const smerf_run *,
                            double *, uint32_t *, smerf_error *)

    ctypedef enum smerf_metric:
        SMERF_RMSE
    int SMERF_N_METRICS

    ctypedef struct smerf_scores:
        size_t size
        double *value
        unsigned metrics
        size_t n_pairs
        double *by_chance
        double variance_explained
        size_t n_unknown, n_unpredicted
        double mean_partners
        size_t n_nearest
        double recall, recall_by_chance, ndcg, ndcg_by_chance

    const char *smerf_metric_name(smerf_metric)
    bint smerf_metric_rises(smerf_metric)
    unsigned smerf_target_metrics(const smerf_target *)
    ctypedef struct smerf_triplet_scores:
        size_t size
        double in_order
        double standard_error
        double log_loss
    smerf_status smerf_evaluate_triplets(const smerf_model *, const smerf_request *, const smerf_target *,
                                         const smerf_run *, smerf_triplet_scores *, smerf_error *) nogil
    smerf_status smerf_evaluate(const smerf_model *, const smerf_request *, const smerf_target *, unsigned,
                                const smerf_run *, smerf_scores *, smerf_error *)
    smerf_status smerf_score(const double *, const smerf_target *, unsigned, smerf_scores *, smerf_error *)
    int SMERF_MAP10, SMERF_FEWEST_PARTNERS

    ctypedef struct smerf_correlation:
        size_t size, n_permutations, most_items
        uint64_t seed
        size_t n_rows, n_columns, n_pairs
        double pearson, spearman, p_pearson, p_spearman

    smerf_status smerf_correlate(const smerf_model *, const smerf_request *, const smerf_target *, const smerf_run *,
                                 smerf_correlation *, smerf_error *)

    ctypedef bint cbool "bool"
    smerf_status smerf_importance_gain(const smerf_model *, double *, smerf_error *)
    void smerf_importance_overstated(const smerf_model *, const double *, cbool *)
    smerf_status smerf_importance_permutation(const smerf_model *, const smerf_items *, const smerf_target *,
                                              const smerf_run *, double *, double *, smerf_error *)

    ctypedef struct smerf_interactions:
        size_t size
        const smerf_items *items
        const smerf_target *truth
        const uint32_t *features
        size_t n_features

    smerf_status smerf_importance_interaction(const smerf_model *, const smerf_interactions *, const smerf_run *,
                                              double *, double *, smerf_error *)

    ctypedef struct smerf_explanation:
        size_t size
        double *baseline
        double *contributions
        double *distance

    smerf_status smerf_explain_pairs(const smerf_model *, const smerf_request *, const smerf_pair_list *,
                                     const smerf_run *, const smerf_explanation *, smerf_error *)

    ctypedef struct smerf_item_request:
        size_t size
        const smerf_items *rows
        const uint32_t *items
        size_t n_items, k

    smerf_status smerf_explain_items(const smerf_model *, const smerf_item_request *, const smerf_run *, double *,
                                     double *, smerf_error *)

    ctypedef enum smerf_clusters_by:
        SMERF_MEDOIDS
        SMERF_MEANS

    ctypedef struct smerf_clustering:
        size_t size, k, most_k
        smerf_clusters_by by
        uint64_t seed
        cbool out_of_bag

    ctypedef struct smerf_clusters:
        size_t size
        uint32_t *cluster
        uint32_t *medoid
        double *silhouette
        double *tried
        size_t k
        double cost, mean_silhouette

    smerf_status smerf_cluster(const smerf_model *, const smerf_items *, const smerf_clustering *, const smerf_run *,
                               smerf_clusters *, smerf_error *)

    ctypedef struct smerf_map_options:
        size_t size, n_dimensions, n_landmarks
        uint64_t seed
        cbool out_of_bag

    ctypedef struct smerf_map:
        size_t size
        double *coordinates
        double *eigenvalues
        size_t n_landmarks
        double eigenvalue_fraction, stress

    smerf_status smerf_embed(const smerf_model *, const smerf_items *, const smerf_map_options *, const smerf_run *,
                             smerf_map *, smerf_error *)
    size_t smerf_vectors_size(const smerf_model *)

    ctypedef int (*smerf_vector_sink)(void *, size_t, const float *, size_t) noexcept

    ctypedef struct smerf_vector_result:
        size_t size
        smerf_vector_sink sink
        void *context
        double *term

    smerf_status smerf_vectors(const smerf_model *, const smerf_items *, bint, const smerf_run *,
                               const smerf_vector_result *, smerf_error *)

    smerf_status smerf_model_save(const smerf_model *, const char *, smerf_error *)
    smerf_status smerf_model_save_noted(const smerf_model *, const char *, const char *, smerf_error *)
    const char *smerf_model_note(const smerf_model *)
    smerf_status smerf_model_load(const char *, smerf_model **, smerf_error *)
    smerf_status smerf_model_merge(const smerf_model **, size_t, smerf_model **, smerf_error *)

    ctypedef struct smerf_description:
        size_t size
        const char *method
        const char *target
        size_t n_target_columns
        const char **target_columns
        double rank_fraction, rank_fraction_of_squares
        bint from_similarities
        double largest_similarity
        size_t n_items, n_features, n_nodes, n_leaves
        const smerf_options *options
        const char *id_column
        const char *weight_column
        size_t are_log_odds
        double shrinkage, mean_distance

    bint smerf_model_has_out_of_bag(const smerf_model *)
    smerf_status smerf_model_describe(const smerf_model *, smerf_description *, smerf_error *)
    smerf_status smerf_model_training_rows(const smerf_model *, const smerf_items *, uint32_t *, smerf_error *)
    size_t smerf_model_n_diagnostics(const smerf_model *)
    const char *smerf_model_diagnostic(const smerf_model *, size_t, double *)
    void smerf_model_feature(const smerf_model *, size_t, smerf_column *)

    const smerf_target *smerf_model_target(const smerf_model *)

    ctypedef struct smerf_scale:
        double largest, factor

    bint smerf_model_scale(const smerf_model *, smerf_scale *)
    double smerf_similarity(const smerf_scale *, double)

    ctypedef struct smerf_linear:
        size_t size, n_components, n_columns
        const double *components
        const double *means
        const size_t *first_column
        double intercept

    smerf_status smerf_model_linear(const smerf_model *, smerf_linear *, smerf_error *)
    smerf_status smerf_model_linear_matrix(const smerf_model *, double *, smerf_error *)

cdef extern from "smerf_study.h" nogil:
    ctypedef struct smerf_trial:
        size_t number, n_trials
        const smerf_options *options
        double score

    ctypedef void (*smerf_trial_sink)(void *, const smerf_trial *) noexcept

    ctypedef struct smerf_candidate_count:
        size_t number
        double power

    ctypedef struct smerf_self_setting:
        smerf_self kind
        double value

    ctypedef struct smerf_grid:
        size_t size
        const smerf_candidate_count *candidates
        size_t n_candidates
        const size_t *min_parents
        size_t n_min_parents
        const smerf_splits *splits
        size_t n_splits
        const double *densities
        size_t n_densities
        const smerf_self_setting *selves
        size_t n_selves

    ctypedef struct smerf_tuning:
        size_t size
        smerf_metric metric
        bint vary_candidates, vary_min_parent, vary_splits, vary_self
        smerf_trial_sink tried
        void *context
        const smerf_grid *grid
        double seconds
        cbool (*stops)(void *) noexcept
        smerf_trial_sink left_out

    ctypedef struct smerf_tuned:
        size_t size
        smerf_model *model
        size_t number, n_trials
        double score
        size_t n_tried

    smerf_status smerf_tune(const smerf_items *, smerf_target *, const smerf_options *, const smerf_tuning *,
                            const smerf_run *, smerf_tuned *, smerf_error *)

    ctypedef struct smerf_comparison:
        size_t size
        unsigned methods
        size_t n_repeats
        double train_fraction
        bint by_pairs, tunes
        smerf_metric metric
        const smerf_options *options
        size_t n_folds
        const uint32_t *groups
        size_t n_most_repeats

    void smerf_comparison_default(const smerf_target *, smerf_comparison *)

    ctypedef struct smerf_mean_score:
        double mean, standard_error

    ctypedef struct smerf_method_scores:
        size_t size
        bint applies
        smerf_error refusal
        double seconds
        smerf_mean_score *score
        smerf_mean_score *difference
        size_t n_rounds
        smerf_mean_score in_order

    smerf_status smerf_compare_division(const smerf_target *, const smerf_comparison *, size_t, cbool *, smerf_error *)
    smerf_status smerf_target_divide(const smerf_target *, double, uint64_t, smerf_target **, smerf_target **,
                                     smerf_error *)
    smerf_status smerf_compare(const smerf_items *, const smerf_target *, const smerf_comparison *, const smerf_run *,
                               smerf_method_scores *, size_t, smerf_error *)

    ctypedef enum smerf_simulation_kind:
        SMERF_REGRESSION
    int SMERF_SIMULATED_FEATURES

    ctypedef struct smerf_simulation:
        size_t size
        smerf_simulation_kind kind
        uint32_t part
        uint64_t seed
        size_t first_item, n_items

    smerf_status smerf_simulate(const smerf_simulation *, double *, double *, smerf_error *)
    double smerf_simulated_distance(smerf_simulation_kind, double, double)

# The page of a report, which is no part of the library but of its sources.
cdef extern from "base/output.h" nogil:
    ctypedef struct sm_output:
        pass

    smerf_status sm_output_open(const char *, sm_output **, smerf_error *)
    bint sm_output_has_failed(const sm_output *)
    smerf_status sm_output_finish(sm_output *, smerf_error *)
    void sm_output_abandon(sm_output *)

cdef extern from "io/text/text.h" nogil:
    smerf_status sm_text_output_open(const char *, sm_output **, smerf_error *)

cdef extern from "report/report.h" nogil:
    ctypedef struct sm_report_column:
        smerf_column column
        const char *role

    ctypedef struct sm_report:
        const smerf_model *model
        const smerf_items *items
        const char **ids
        const sm_report_column *columns
        size_t n_columns
        const smerf_target *truth
        size_t n_clusters
        const char *title
        const char *model_file
        const char *items_file
        const char *target_text
        const char *explain_command

    smerf_status sm_report_write(const sm_report *, bint, const smerf_run *, sm_output *, smerf_error *)

    ctypedef const char **name_list "const char *const *"

    ctypedef struct sm_fact_sink:
        void (*text)(void *, const char *, const char *) noexcept
        void (*number)(void *, const char *, double) noexcept
        void (*count)(void *, const char *, size_t) noexcept
        void (*none)(void *, const char *) noexcept
        void (*list)(void *, const char *, name_list, size_t) noexcept
        void (*features)(void *, const char *, const smerf_model *, size_t) noexcept
        void *context

    void sm_facts_tell(const smerf_model *, const sm_fact_sink *)
    smerf_status sm_forest_write(const smerf_model *, sm_output *, smerf_error *)
