/* command.h - what a command is: a name, options, and a function; and how its words are read. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "smerf.h"

typedef struct cli_option {
    const char *name;     /* "--trees", "-o"; "" is a heading in the help */
    const char *argument; /* what it is followed by, for the help: one word, or two; NULL: nothing */
    const char *help;
} cli_option;

enum { CLI_MOST_OPTIONS = 40, CLI_MOST_WORDS = 256 };

/* What -o is written as: files.c has the suffixes of each. */
typedef enum cli_output_kind {
    CLI_LINES,  /* text to read; the one of commands that say nothing */
    CLI_TABLE,  /* CSV */
    CLI_MATRIX, /* .npy or CSV */
    CLI_GRAPH,  /* Matrix Market */
    CLI_JSON,
    CLI_PAGE,  /* HTML */
    CLI_MODEL, /* of any name that is not one of the others */
    CLI_INDEX, /* a catalogue that is kept */
    CLI_FOLDER
} cli_output_kind;

struct cli_args;

typedef struct cli_command {
    const char *program;                    /* that it belongs to; NULL: "smerf" */
    const char *name;                       /* "": the program has no other */
    const char *usage;                      /* the words after the program */
    const char *summary;                    /* one line */
    size_t fewest_words, most_words;        /* besides the options */
    const cli_option *const *option_groups; /* lists of options, each ended by a NULL name; ended by NULL */
    cli_output_kind output;                 /* of -o; --json and the like may change it */
    const char *const *(*writes)(
        const struct cli_args *args); /* a folder's files, ended by NULL; NULL: it is no folder */
    const char *const *examples;      /* calls that are shown in the help, ended by NULL */
    smerf_status (*run)(const struct cli_args *args, smerf_error *error);
} cli_command;

/* The words of a call, sorted. */
typedef struct cli_args {
    const cli_command *command;
    const char *words[CLI_MOST_WORDS];
    size_t n_words;
    const cli_option *given[CLI_MOST_OPTIONS];
    const char *values[CLI_MOST_OPTIONS];  /* of the options given; "" for one without an argument */
    const char *seconds[CLI_MOST_OPTIONS]; /* the second word, for those that are followed by two; else "" */
    size_t n_given;
} cli_args;

/* The name of its program. */
const char *cli_program(const cli_command *command);

/* Sorts the words after the command's name. Wrong use is SMERF_BAD_INPUT. *wants_help: --help was among them. */
smerf_status cli_parse(const cli_command *command, int n, char **words, cli_args *args, bool *wants_help,
                       smerf_error *error);

/* The value of an option, or NULL if it was not given. */
const char *cli_get(const cli_args *args, const char *name);
const char *cli_get_second(const cli_args *args, const char *name); /* the second word of one that has two */
bool cli_has(const cli_args *args, const char *name);

/* The value of -o; NULL if it was not given, or is empty. */
const char *cli_get_output(const cli_args *args);

/* The same as numbers; *out is left as it is where the option was not given. */
smerf_status cli_get_size(const cli_args *args, const char *name, size_t smallest, size_t *out, smerf_error *error);
smerf_status cli_get_number(const cli_args *args, const char *name, double *out, smerf_error *error);

/* The index of an option's value among the words it may be, in *out. */
smerf_status cli_get_word(const cli_args *args, const char *name, const char *const *words, size_t n_words,
                          unsigned *out, smerf_error *error);

/* Splits a list at its commas. NULL-terminated, to be freed with cli_free_list; NULL: no memory. */
char **cli_split(const char *list, size_t *n);
void cli_free_list(char **list);

/* Fails as wrong use: "smerf: fit: ..." */
smerf_status cli_fail(const cli_args *args, smerf_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error's sentence with options in the command's words: "min_parent" is --min-parent. Returns the text. */
enum { CLI_SENTENCE_SPACE = sizeof((smerf_error *)0)->message + 2 * SMERF_MOST_MENTIONS };
const char *cli_sentence(const smerf_error *error, char text[CLI_SENTENCE_SPACE]);

/* Where the library's sentence begins with an option ("density: ..."), the command is named too ("fit: --density: ..."). */
void cli_name_option(const cli_args *args, smerf_error *error);

/* "1 tree", "2 trees".   text  where it is written; returned */
const char *cli_count(size_t n, const char *noun, char text[40]);

#endif
