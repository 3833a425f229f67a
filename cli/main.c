/* main.c - a table of commands, and the one place that prints errors. */
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>

#include "commands.h"
#include "common.h"

static const cli_command *const commands[] = {
    &cli_fit,        &cli_tune,    &cli_predict,  &cli_neighbors,     &cli_evaluate, &cli_compare,
    &cli_importance, &cli_explain, &cli_cluster,  &cli_embed,         &cli_report,   &cli_info,
    &cli_export,     &cli_merge,   &cli_simulate, &cli_split_command, &cli_reproduce};

enum { DONE = 0, COULD_NOT = 1, WRONG_USE = 2 };

static void print_usage(void) {
    printf("usage: smerf COMMAND [ARGUMENTS] [OPTIONS]\n\nLearns distances and similarities from data.\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    printf("\nsmerf COMMAND --help tells more about each; smerf --version tells which smerf this is.\n");
}

static int exit_code(smerf_status status) {
    switch (status) {
    case SMERF_OK: return DONE;
    case SMERF_BAD_INPUT:
    case SMERF_BAD_FILE: return WRONG_USE;
    case SMERF_NO_MEMORY:
    case SMERF_IO:
    case SMERF_CANCELLED: return COULD_NOT;
    }
    return COULD_NOT;
}

/* One line, whatever is in the name of a file. */
static void print_error(smerf_error *error) {
    for (char *c = error->message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    fprintf(stderr, "smerf: %s\n", error->message);
}

static const cli_command *find_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static int run(const cli_command *command, int n, char **words) {
    cli_args args;
    smerf_error error = {0};
    bool wants_help;
    smerf_status status = cli_parse(command, n, words, &args, &wants_help, &error);
    if (status == SMERF_OK && wants_help)
        cli_print_help(command);
    else if (status == SMERF_OK)
        status = command->run(&args, &error);
    if (status != SMERF_OK) print_error(&error);
    return exit_code(status);
}

/* A help text that did not reach its reader is a failure; one that nobody asked for is not. (Results are written and
 * checked by the commands.) */
static int close_output(int code) {
    bool has_text = __fpending(stdout) > 0;
    if (fclose(stdout) == 0 || !has_text) return code;
    fprintf(stderr, "smerf: standard output cannot be written\n");
    return code == DONE ? COULD_NOT : code;
}

static bool asks_for_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

int main(int n, char **words) {
    cli_catch_interrupts();
    if (n < 2) {
        fprintf(stderr, "smerf: there is no command; see 'smerf --help'\n");
        return WRONG_USE;
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("smerf %s\n", smerf_version());
        return close_output(DONE);
    }
    const cli_command *command = find_command(words[1]);
    if (command != NULL) return close_output(run(command, n - 2, words + 2));
    if (asks_for_help(words[1])) {
        command = n > 2 ? find_command(words[2]) : NULL;
        if (command != NULL)
            cli_print_help(command);
        else
            print_usage();
        return close_output(DONE);
    }
    fprintf(stderr, "smerf: there is no command '%s'; see 'smerf --help'\n", words[1]);
    return WRONG_USE;
}
