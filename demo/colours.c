/* colours.c - the demo: can a forest learn how people see colour from red, green and blue?
 *
 *   demo-colours make DIR      writes the colours and their CIEDE2000 differences, 95 to train on and 44 never seen
 *   demo-colours show DIR      after smerf has predicted: scores beside plain distance in RGB, neighbours, a picture
 *
 * What smerf does in between stands in demo/run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "demo/ciede2000.h"
#include "demo/css_colours.h"
#include "demo/picture.h"
#include "io/matrix/npy.h"
#include "io/text/text.h"
#include "smerf.h"

enum { N = CSS_N_DISTINCT, N_TEST = 44, N_NEIGHBOURS = 5 };

typedef struct colours {
    css_colour colour[N];
    lab_colour lab[N];
    bool is_test[N];
    size_t test[N_TEST]; /* which ones those are */
} colours;

static void die(const smerf_error *error) {
    fprintf(stderr, "demo-colours: %s\n", error->message);
    exit(1);
}

/* The 44 are spread evenly over the alphabet. */
static void start(colours *all) {
    css_colours_distinct(all->colour);
    size_t n_test = 0;
    for (size_t i = 0; i < N; i++) {
        const css_colour *colour = &all->colour[i];
        all->lab[i] = lab_from_srgb(colour->red, colour->green, colour->blue);
        all->is_test[i] = i * N_TEST % N < N_TEST;
        if (all->is_test[i]) all->test[n_test++] = i;
    }
}

/* ---- make ---- */

typedef enum part { EVERYTHING, TRAINING, TESTING } part;

static bool is_in(const colours *all, size_t i, part which) {
    return which == EVERYTHING || all->is_test[i] == (which == TESTING);
}

static void finish(sm_output *output) {
    smerf_error error;
    if (sm_output_finish(output, &error) != SMERF_OK) die(&error);
}

static sm_output *open_file(const char *folder, const char *name) {
    char path[4096];
    smerf_error error;
    sm_output *output;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (sm_output_open(path, &output, &error) != SMERF_OK) die(&error);
    return output;
}

/* The last column is no feature: it is for the report, which shows it. */
static void write_items(const colours *all, const char *folder, const char *name, part which) {
    sm_output *output = open_file(folder, name);
    sm_output_print(output, "id,red,green,blue,colour\n");
    for (size_t i = 0; i < N; i++) {
        const css_colour *colour = &all->colour[i];
        if (is_in(all, i, which))
            sm_output_print(output, "%s,%d,%d,%d,#%02x%02x%02x\n", colour->name, colour->red, colour->green,
                            colour->blue, (unsigned)colour->red, (unsigned)colour->green, (unsigned)colour->blue);
    }
    finish(output);
}

static void write_distances(const colours *all, const char *folder, const char *name, part which) {
    size_t n = which == EVERYTHING ? N : which == TESTING ? N_TEST : N - N_TEST;
    const size_t shape[2] = {n, n};
    sm_output *output = open_file(folder, name);
    sm_npy_write_header(output, sizeof(double), 2, shape);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            if (!is_in(all, i, which) || !is_in(all, j, which)) continue;
            double difference = ciede2000(all->lab[i], all->lab[j]);
            sm_output_write(output, &difference, sizeof difference);
        }
    finish(output);
}

static void make(const colours *all, const char *folder) {
    mkdir(folder, 0777);
    write_items(all, folder, "colours.csv", EVERYTHING);
    write_items(all, folder, "train.csv", TRAINING);
    write_items(all, folder, "test.csv", TESTING);
    write_distances(all, folder, "distances.npy", EVERYTHING);
    write_distances(all, folder, "train-distances.npy", TRAINING);
    write_distances(all, folder, "test-distances.npy", TESTING);
}

/* ---- show ---- */

static double in_rgb(const css_colour *a, const css_colour *b) {
    double red = a->red - b->red, green = a->green - b->green, blue = a->blue - b->blue;
    return sqrt(red * red + green * green + blue * blue);
}

/* What smerf predicted: one row for each unseen colour, one column for each colour. */
static void read_predicted(const char *folder, double learned[N_TEST][N]) {
    char path[4096];
    smerf_error error;
    sm_source source;
    sm_npy npy;
    snprintf(path, sizeof path, "%s/test-against-all.npy", folder);
    if (sm_source_open(path, &source, &error) != SMERF_OK || sm_npy_read(&source, &npy, &error) != SMERF_OK)
        die(&error);
    if (npy.shape[0] != N_TEST || npy.shape[1] != N) {
        snprintf(error.message, sizeof error.message, "%.300s: is not %d x %d", path, N_TEST, N);
        die(&error);
    }
    for (size_t t = 0; t < N_TEST; t++)
        for (size_t j = 0; j < N; j++) learned[t][j] = sm_npy_get(&npy, t, j);
    sm_source_close(&source);
}

/* Scores of a way to measure, over the pairs of unseen colours. */
static smerf_scores score(const colours *all, double distance[N_TEST][N]) {
    static double predicted[N_TEST * N_TEST];
    static float truth[N_TEST * N_TEST];
    smerf_error error;
    smerf_target *target;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    for (size_t s = 0; s < N_TEST; s++)
        for (size_t t = 0; t < N_TEST; t++) {
            predicted[s * N_TEST + t] = distance[s][all->test[t]];
            truth[s * N_TEST + t] = (float)ciede2000(all->lab[all->test[s]], all->lab[all->test[t]]);
        }
    if (smerf_target_new_distances(truth, N_TEST, &target, &error) != SMERF_OK) die(&error);
    if (smerf_score(predicted, target, 0, &scores, &error) != SMERF_OK) die(&error);
    smerf_target_free(target);
    return scores;
}

/* The colours nearest to unseen colour t, itself left out. */
static void find_nearest(const colours *all, size_t t, const double *distance, size_t nearest[N_NEIGHBOURS]) {
    size_t n_found = 0;
    for (size_t j = 0; j < N; j++) {
        if (j == all->test[t]) continue;
        size_t place = n_found;
        while (place > 0 && distance[j] < distance[nearest[place - 1]]) place--;
        if (place == N_NEIGHBOURS) continue;
        if (n_found < N_NEIGHBOURS) n_found++;
        for (size_t k = n_found - 1; k > place; k--) nearest[k] = nearest[k - 1];
        nearest[place] = j;
    }
}

static void print_colour(const css_colour *colour, bool has_colours) {
    if (has_colours) printf("\033[48;2;%d;%d;%dm  \033[0m ", colour->red, colour->green, colour->blue);
    printf("%-18s", colour->name);
}

static void print_neighbours(const colours *all, const char *name, double (*ways[3])[N]) {
    static const char *const way_names[3] = {"people (CIEDE2000)", "smerf, learned", "plain RGB"};
    bool has_colours = isatty(STDOUT_FILENO);
    size_t t = 0;
    while (t < N_TEST && strcmp(all->colour[all->test[t]].name, name) != 0) t++;
    if (t == N_TEST) return;
    printf("\n  Nearest to ");
    print_colour(&all->colour[all->test[t]], has_colours);
    printf("\n");
    for (size_t w = 0; w < 3; w++) {
        size_t nearest[N_NEIGHBOURS];
        find_nearest(all, t, ways[w][t], nearest);
        printf("    %-20s", way_names[w]);
        for (size_t k = 0; k < N_NEIGHBOURS; k++) print_colour(&all->colour[nearest[k]], has_colours);
        printf("\n");
    }
}

static void draw_picture(const colours *all, const char *folder, double (*ways[3])[N]) {
    sm_output *output = open_file(folder, "neighbours.svg");
    picture_start(output, N_TEST, N_NEIGHBOURS);
    for (size_t t = 0; t < N_TEST; t++)
        for (size_t w = 0; w < 3; w++) {
            size_t nearest[N_NEIGHBOURS];
            find_nearest(all, t, ways[w][t], nearest);
            if (w == 0) picture_name(output, t, &all->colour[all->test[t]]);
            for (size_t k = 0; k < N_NEIGHBOURS; k++) picture_swatch(output, t, w, k, &all->colour[nearest[k]]);
        }
    picture_end(output);
    finish(output);
}

static void show(const colours *all, const char *folder) {
    static double people[N_TEST][N], learned[N_TEST][N], plain[N_TEST][N];
    read_predicted(folder, learned);
    for (size_t t = 0; t < N_TEST; t++)
        for (size_t j = 0; j < N; j++) {
            people[t][j] = ciede2000(all->lab[all->test[t]], all->lab[j]);
            plain[t][j] = in_rgb(&all->colour[all->test[t]], &all->colour[j]);
        }
    smerf_scores by_forest = score(all, learned), by_rgb = score(all, plain);
    printf("How well are %d colours ranked that were never seen? (1 is perfect)\n\n", N_TEST);
    printf("                          Spearman   map@10\n");
    printf("  smerf, learned            %.3f     %.3f\n", by_forest.value[SMERF_SPEARMAN],
           by_forest.value[SMERF_MAP10]);
    printf("  plain distance in RGB     %.3f     %.3f\n", by_rgb.value[SMERF_SPEARMAN], by_rgb.value[SMERF_MAP10]);
    double(*ways[3])[N] = {people, learned, plain};
    static const char *const chosen[] = {"crimson", "darkorchid", "olive", "royalblue"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) print_neighbours(all, chosen[i], ways);
    draw_picture(all, folder, ways);
}

int main(int n, char **words) {
    colours all;
    start(&all);
    if (n == 3 && strcmp(words[1], "make") == 0) {
        make(&all, words[2]);
    } else if (n == 3 && strcmp(words[1], "show") == 0) {
        show(&all, words[2]);
    } else {
        fprintf(stderr, "usage: demo-colours make|show DIR\n");
        return 2;
    }
    return 0;
}
