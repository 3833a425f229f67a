/* command.c - parses the words of a call into options and words, and prints help: see command.h. */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "io/text/text.h"

const char *cli_program(const cli_command *command) { return command->program != NULL ? command->program : "smerf"; }

smerf_status cli_fail(const cli_args *args, smerf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const char *name = args->command->name;
    int n = snprintf(error->message, sizeof error->message, "%s%s", name, name[0] == '\0' ? "" : ": ");
    vsnprintf(error->message + n, sizeof error->message - (size_t)n, format, arguments);
    va_end(arguments);
    error->status = SMERF_BAD_INPUT;
    error->n_mentions = 0;
    return SMERF_BAD_INPUT;
}

/* The option that a word names, with or without "=value" behind it. */
static const cli_option *find_option(const cli_command *command, const char *word, size_t n) {
    for (const cli_option *const *group = command->option_groups; *group != NULL; group++)
        for (const cli_option *option = *group; option->name != NULL; option++)
            if (strlen(option->name) == n && strncmp(option->name, word, n) == 0) return option;
    return NULL;
}

/* Whether a word is an option, and so no value: one was forgotten. ("-" is a file, and "-1" a number.) */
static bool names_option(const cli_command *command, const char *word) {
    return word[0] == '-' && word[1] != '\0' && find_option(command, word, strcspn(word, "=")) != NULL;
}

static smerf_status take_option(cli_args *args, int n, char **words, int *next, smerf_error *error) {
    const char *word = words[*next], *equals = strchr(word, '=');
    size_t length = equals != NULL && word[1] == '-' ? (size_t)(equals - word) : strlen(word);
    const cli_option *option = find_option(args->command, word, length);
    if (option == NULL)
        return cli_fail(args, error, "unknown option '%.*s'; see '%s%s%s --help'", (int)length, word,
                        cli_program(args->command), args->command->name[0] == '\0' ? "" : " ", args->command->name);
    if (cli_has(args, option->name)) return cli_fail(args, error, "%s is given twice", option->name);
    const char *value = "";
    if (option->argument == NULL && word[length] == '=')
        return cli_fail(args, error, "%s takes no value", option->name);
    if (option->argument != NULL && word[length] == '=') {
        value = word + length + 1;
    } else if (option->argument != NULL) {
        bool has_value = *next + 1 < n && !names_option(args->command, words[*next + 1]);
        if (!has_value)
            return cli_fail(args, error, "%s wants %s: %s %s", option->name,
                            strchr(option->argument, ' ') != NULL ? "two values" : "a value", option->name,
                            option->argument);
        value = words[++*next];
    }
    const char *second = "";
    if (option->argument != NULL && strchr(option->argument, ' ') != NULL) {
        if (*next + 1 >= n || names_option(args->command, words[*next + 1]))
            return cli_fail(args, error, "%s wants two values: %s %s", option->name, option->name, option->argument);
        second = words[++*next];
    }
    if (args->n_given == CLI_MOST_OPTIONS) return cli_fail(args, error, "too many options");
    args->given[args->n_given] = option;
    args->values[args->n_given] = value;
    args->seconds[args->n_given++] = second;
    return SMERF_OK;
}

/* Files that are read: words, and values of options that name one, but for outputs. */
static smerf_status check_standard_input(const cli_args *args, smerf_error *error) {
    size_t n_reads = 0;
    for (size_t i = 0; i < args->n_words; i++) n_reads += strcmp(args->words[i], "-") == 0;
    for (size_t i = 0; i < args->n_given; i++)
        n_reads += strcmp(args->values[i], "-") == 0 && !cli_names_output(args->given[i]);
    return n_reads > 1 ? cli_fail(args, error, "standard input can be read only once") : SMERF_OK;
}

smerf_status cli_parse(const cli_command *command, int n, char **words, cli_args *args, bool *wants_help,
                       smerf_error *error) {
    *args = (cli_args){.command = command};
    *wants_help = false;
    bool only_words = false;
    for (int next = 0; next < n; next++) {
        const char *word = words[next];
        if (!only_words && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            *wants_help = true;
            return SMERF_OK;
        }
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && word[0] == '-' && word[1] != '\0') {
            smerf_status status = take_option(args, n, words, &next, error);
            if (status != SMERF_OK) return status;
        } else {
            if (args->n_words == command->most_words || args->n_words == CLI_MOST_WORDS)
                return cli_fail(args, error, "'%s' is one word too many; usage: %s %s", word, cli_program(command),
                                command->usage);
            args->words[args->n_words++] = word;
        }
    }
    if (args->n_words < command->fewest_words)
        return cli_fail(args, error, "too few words; usage: %s %s", cli_program(command), command->usage);
    size_t n_threads;
    smerf_status status = cli_get_size(args, "--threads", 1, &n_threads, error); /* wrong even where it is not used */
    if (status == SMERF_OK) status = check_standard_input(args, error);
    return status == SMERF_OK ? cli_check_files(args, error) : status;
}

const char *cli_get(const cli_args *args, const char *name) {
    for (size_t i = 0; i < args->n_given; i++)
        if (strcmp(args->given[i]->name, name) == 0) return args->values[i];
    return NULL;
}

const char *cli_get_second(const cli_args *args, const char *name) {
    for (size_t i = 0; i < args->n_given; i++)
        if (strcmp(args->given[i]->name, name) == 0) return args->seconds[i];
    return NULL;
}

bool cli_has(const cli_args *args, const char *name) { return cli_get(args, name) != NULL; }

const char *cli_get_output(const cli_args *args) {
    const char *path = cli_get(args, "-o");
    return path != NULL && path[0] != '\0' ? path : NULL;
}

smerf_status cli_get_size(const cli_args *args, const char *name, size_t smallest, size_t *out, smerf_error *error) {
    const char *text = cli_get(args, name);
    if (text == NULL) return SMERF_OK;
    if (*text == '\0' || strspn(text, "0123456789") < strlen(text))
        return cli_fail(args, error, "%s '%s' is not a whole number", name, text);
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (errno != 0 || value > SIZE_MAX) return cli_fail(args, error, "%s '%s' is too large", name, text);
    *out = (size_t)value;
    if (*out < smallest) return cli_fail(args, error, "%s %s is below %zu", name, text, smallest);
    return SMERF_OK;
}

smerf_status cli_get_number(const cli_args *args, const char *name, double *out, smerf_error *error) {
    const char *text = cli_get(args, name);
    if (text == NULL) return SMERF_OK;
    if (sm_number_parse(text, strlen(text), out) != SM_CELL_NUMBER)
        return cli_fail(args, error, "%s '%s' is not a number", name, text);
    return SMERF_OK;
}

smerf_status cli_get_word(const cli_args *args, const char *name, const char *const *words, size_t n_words,
                          unsigned *out, smerf_error *error) {
    const char *text = cli_get(args, name);
    if (text == NULL) return SMERF_OK;
    char known[200] = "";
    for (size_t i = 0; i < n_words; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = (unsigned)i;
            return SMERF_OK;
        }
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i == 0 ? "" : i + 1 == n_words ? " or " : ", ", words[i]);
    }
    return cli_fail(args, error, "%s '%s' is not known; it is %s", name, text, known);
}

char **cli_split(const char *list, size_t *n) {
    size_t n_items = 1;
    for (const char *c = list; *c != '\0'; c++) n_items += *c == ',';
    char **items = calloc(n_items + 1, sizeof *items);
    *n = 0;
    while (items != NULL) {
        size_t length = strcspn(list, ",");
        items[*n] = strndup(list, length);
        if (items[*n] == NULL) {
            cli_free_list(items);
            return NULL;
        }
        ++*n;
        if (list[length] == '\0') break;
        list += length + 1;
    }
    return items;
}

void cli_free_list(char **list) {
    for (char **item = list; item != NULL && *item != NULL; item++) free(*item);
    free(list);
}

/* "min_parent" as "--min-parent"; a value behind it, as in "sample none", stays as it is. */
static size_t put_option(const char *name, size_t length, char *text) {
    bool is_name = true;
    text[0] = text[1] = '-';
    for (size_t i = 0; i < length; i++) {
        is_name = is_name && name[i] != ' ';
        text[i + 2] = is_name && name[i] == '_' ? '-' : name[i];
    }
    return length + 2;
}

const char *cli_sentence(const smerf_error *error, char text[CLI_SENTENCE_SPACE]) {
    const char *message = error->message;
    size_t n = 0, from = 0, end = strlen(message);
    for (size_t m = 0; m < error->n_mentions && m < SMERF_MOST_MENTIONS; m++) {
        const smerf_mention *mention = &error->mention[m];
        if (mention->at < from || (size_t)mention->at + mention->length > end) break;
        memcpy(text + n, message + from, mention->at - from);
        n += mention->at - from;
        n += put_option(message + mention->at, mention->length, text + n);
        from = (size_t)mention->at + mention->length;
    }
    memcpy(text + n, message + from, end - from + 1);
    return text;
}

void cli_name_option(const cli_args *args, smerf_error *error) {
    char text[CLI_SENTENCE_SPACE];
    if (error->status != SMERF_BAD_INPUT || error->n_mentions == 0 || error->mention[0].at != 0) return;
    cli_sentence(error, text);
    if (find_option(args->command, text, error->mention[0].length + 2) != NULL) cli_fail(args, error, "%s", text);
}

const char *cli_count(size_t n, const char *noun, char text[40]) {
    snprintf(text, 40, "%zu %s%s", n, noun, n == 1 ? "" : "s");
    return text;
}
