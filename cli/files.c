/* files.c - see files.h.
 *
 * Outputs are listed by name; every other option that is followed by one of the words for files names an input. What the -o of
 * a command is written as stands in its cli_command, and some options change that. */
#include "files.h"

#include <ctype.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- which options name files ---- */

bool cli_names_output(const cli_option *option) {
    static const char *const outputs[] = {"-o", "--graph", "--confusion"};
    for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++)
        if (strcmp(option->name, outputs[o]) == 0) return true;
    return false;
}

static bool names_input(const cli_option *option) {
    static const char *const words[] = {"FILE", "ITEMS", "ITEMS2", "PAIRS", "MODEL"};
    if (option->argument == NULL || cli_names_output(option)) return false;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strcmp(option->argument, words[w]) == 0) return true;
    return false;
}

/* ---- what an output is written as ---- */

/* The suffixes of a kind, and what it is written as. A model may have any name but those of other kinds. */
static const struct {
    const char *suffixes[3];
    const char *what;
} kinds[] = {
    [CLI_LINES] = {{".txt"}, "text"},
    [CLI_TABLE] = {{".csv"}, "a table in CSV"},
    [CLI_MATRIX] = {{".npy", ".csv"}, "a matrix for NumPy or in CSV"},
    [CLI_GRAPH] = {{".mtx"}, "a sparse matrix in Matrix Market form"},
    [CLI_JSON] = {{".json"}, "JSON"},
    [CLI_PAGE] = {{".html", ".htm"}, "a page in HTML"},
    [CLI_MODEL] = {{NULL}, "a model"},
    [CLI_INDEX] = {{".index"}, "an index of items"},
    [CLI_FOLDER] = {{NULL}, "a folder"},
};

/* Formats of files that nothing is written as: a model is none of them, either. */
static const char *const foreign[] = {".tsv",     ".parquet", ".npz", ".xlsx", ".xls", ".h5", ".hdf5", ".pkl",
                                      ".feather", ".arrow",   ".gz",  ".zip",  ".bz2", ".xz", ".zst"};

/* Options that change what -o is written as. */
static const struct {
    const char *option;
    cli_output_kind from, to;
} changes[] = {
    {"--json", CLI_TABLE, CLI_JSON},     {"--json", CLI_LINES, CLI_JSON},    {"--json", CLI_PAGE, CLI_JSON},
    {"--values", CLI_MATRIX, CLI_TABLE}, {"--pairs", CLI_MATRIX, CLI_TABLE},
};

enum { N_CHANGES = sizeof changes / sizeof *changes, N_FOREIGN = sizeof foreign / sizeof *foreign };

static cli_output_kind kind_of(const cli_args *args, const cli_option *option) {
    if (strcmp(option->name, "--graph") == 0) return CLI_GRAPH;
    if (strcmp(option->name, "--confusion") == 0) return CLI_TABLE;
    cli_output_kind kind = args->command->output;
    for (size_t c = 0; c < N_CHANGES; c++)
        if (kind == changes[c].from && cli_has(args, changes[c].option)) return changes[c].to;
    return kind;
}

typedef struct suffix {
    const char *text; /* from its dot on, to the end of the name; .gz is part of it */
    size_t length;    /* without .gz */
    bool is_compressed;
} suffix;

/* The end of a file's name from its last dot on, where that looks like the name of a format: ".csv", but neither ".2026" nor
 * what follows the dot of a hidden file. All text may be compressed, so that a last .gz says nothing of the format: ".csv" of
 * d.csv.gz. Length 0: it has none. */
static suffix suffix_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    size_t n = strlen(name), n_gz = n > 3 && strcmp(name + n - 3, ".gz") == 0 ? 3 : 0;
    for (size_t at = n - n_gz; at-- > 1;) {
        const char *dot = name + at;
        if (*dot != '.') continue;
        size_t length = n - n_gz - at;
        bool is_format = length > 1 && length <= 8 && isalpha((unsigned char)dot[1]);
        for (size_t k = 1; k < length; k++) is_format = is_format && isalnum((unsigned char)dot[k]);
        if (is_format) return (suffix){dot, length, n_gz > 0};
        break;
    }
    return (suffix){name + n - n_gz, 0, n_gz > 0};
}

static bool is_same_suffix(const char *name, suffix of) {
    return strlen(name) == of.length && strncasecmp(name, of.text, of.length) == 0;
}

static bool is_suffix_of(cli_output_kind kind, suffix of) {
    for (size_t s = 0; s < 3 && kinds[kind].suffixes[s] != NULL; s++)
        if (is_same_suffix(kinds[kind].suffixes[s], of)) return true;
    return false;
}

/* Whether a suffix says that a file is something else than a model. */
static bool is_no_model(suffix of) {
    bool is_other = of.is_compressed;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        is_other = is_other || is_suffix_of((cli_output_kind)k, of);
    for (size_t f = 0; f < N_FOREIGN; f++) is_other = is_other || is_same_suffix(foreign[f], of);
    return is_other;
}

static smerf_status check_suffix(const cli_args *args, const cli_option *option, const char *path, smerf_error *error) {
    cli_output_kind kind = kind_of(args, option);
    suffix of = suffix_of(path);
    if (kind == CLI_FOLDER) return SMERF_OK;
    if (kind == CLI_MODEL) {
        if (!is_no_model(of)) return SMERF_OK;
        return cli_fail(args, error,
                        "%s '%s': a model is written here, which is no %s file: take another name, such as %s",
                        option->name, path, of.text, "model.smerf");
    }
    if (of.length == 0) return SMERF_OK;
    if (is_suffix_of(kind, of)) {
        if (!of.is_compressed || !is_same_suffix(".npy", of)) return SMERF_OK;
        return cli_fail(args, error,
                        "%s '%s': a .npy file is not compressed, as it is mapped into memory: .npy or .csv.gz",
                        option->name, path);
    }
    for (size_t c = 0; c < N_CHANGES && is_same_suffix(".json", of); c++)
        if (changes[c].to == CLI_JSON && changes[c].from == kind)
            return cli_fail(args, error, "%s '%s': this is written as %s here, %s; with --json as .json", option->name,
                            path, kinds[kind].suffixes[0], kinds[kind].what);
    const char *second = kinds[kind].suffixes[1];
    return cli_fail(args, error, "%s '%s': %s files are not written here; the name may end in %s%s%s (%s)",
                    option->name, path, of.text, kinds[kind].suffixes[0], second != NULL ? " or " : "",
                    second != NULL ? second : "", kinds[kind].what);
}

/* ---- which files are the same ---- */

/* A file that is there, as its system knows it. */
typedef struct identity {
    bool is_file; /* and no device, pipe or folder, which may well be read and written */
    dev_t device;
    ino_t inode;
} identity;

static identity identify(const char *path) {
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) return (identity){false};
    return (identity){.is_file = true, .device = facts.st_dev, .inode = facts.st_ino};
}

static bool are_same(identity a, identity b) {
    return a.is_file && b.is_file && a.device == b.device && a.inode == b.inode;
}

/* An output, where it would be written over: an input that is read; else NULL. */
static const char *find_replaced(const cli_args *args, const char *output) {
    identity it = identify(output);
    for (size_t w = 0; w < args->n_words && it.is_file; w++)
        if (are_same(it, identify(args->words[w]))) return args->words[w];
    for (size_t i = 0; i < args->n_given && it.is_file; i++)
        if (names_input(args->given[i]) && are_same(it, identify(args->values[i]))) return args->values[i];
    return NULL;
}

/* The files of a folder that a command fills. */
static smerf_status check_folder(const cli_args *args, const cli_option *option, const char *folder,
                                 smerf_error *error) {
    const char *const *name = args->command->writes != NULL ? args->command->writes(args) : NULL;
    for (; name != NULL && *name != NULL; name++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", folder, *name) >= (int)sizeof path) continue; /* cannot be written */
        const char *replaced = find_replaced(args, path);
        if (replaced != NULL)
            return cli_fail(args, error, "%s %s would replace %s, which is read: take another folder", option->name,
                            folder, replaced);
    }
    return SMERF_OK;
}

/* Two names of one file, be it there or not. */
static bool name_one_file(const char *a, const char *b) {
    char copies[2][PATH_MAX], folders[2][PATH_MAX];
    if (strcmp(a, b) == 0) return true;
    if (are_same(identify(a), identify(b))) return true;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    if (strcmp(slash_a != NULL ? slash_a + 1 : a, slash_b != NULL ? slash_b + 1 : b) != 0) return false;
    snprintf(copies[0], PATH_MAX, "%s", a);
    snprintf(copies[1], PATH_MAX, "%s", b);
    for (int k = 0; k < 2; k++)
        if (realpath(dirname(copies[k]), folders[k]) == NULL) return false;
    return strcmp(folders[0], folders[1]) == 0;
}

smerf_status cli_check_files(const cli_args *args, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < args->n_given && status == SMERF_OK; i++) {
        const cli_option *option = args->given[i];
        const char *path = args->values[i];
        if (!cli_names_output(option) || path[0] == '\0' || strcmp(path, "-") == 0) continue;
        status = check_suffix(args, option, path, error);
        if (status == SMERF_OK) status = check_folder(args, option, path, error);
        const char *replaced = status == SMERF_OK ? find_replaced(args, path) : NULL;
        if (replaced != NULL)
            return cli_fail(args, error, "%s %s would replace %s, which is read: take another name", option->name, path,
                            replaced);
        for (size_t k = 0; k < i && status == SMERF_OK; k++)
            if (cli_names_output(args->given[k]) && strcmp(path, "/dev/null") != 0 &&
                name_one_file(args->values[k], path))
                return cli_fail(args, error, "%s and %s are the same file", args->given[k]->name, option->name);
    }
    return status;
}
