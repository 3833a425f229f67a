/* main.c - a table of commands, and the one place that prints errors. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common.h"

static const cli_command *const commands[] = {&cli_fit,  &cli_tune,   &cli_predict, &cli_evaluate, &cli_importance,
                                              &cli_info, &cli_export, &cli_merge,   &cli_simulate};

enum { DONE = 0, COULD_NOT = 1, WRONG_USE = 2 };

static void print_usage(FILE *stream) {
    fprintf(stream, "usage: smerf COMMAND [ARGUMENTS] [OPTIONS]\n\nLearns distances and similarities from data.\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\nsmerf COMMAND --help tells more about each; smerf --version tells which smerf this is.\n");
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

static int run(const cli_command *command, int n, char **words) {
    cli_args args;
    smerf_error error = {0};
    bool wants_help;
    smerf_status status = cli_parse(command, n, words, &args, &wants_help, &error);
    if (status == SMERF_OK && wants_help)
        cli_print_help(command);
    else if (status == SMERF_OK)
        status = command->run(&args, &error);
    if (status != SMERF_OK) fprintf(stderr, "smerf: %s\n", error.message);
    return exit_code(status);
}

/* A result that did not reach its reader is not a result. */
static int close_output(int code) {
    if (fclose(stdout) == 0) return code;
    fprintf(stderr, "smerf: standard output cannot be written\n");
    return code == DONE ? COULD_NOT : code;
}

int main(int n, char **words) {
    cli_catch_interrupts();
    if (n < 2) {
        print_usage(stderr);
        return WRONG_USE;
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("smerf %s\n", smerf_version());
        return close_output(DONE);
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0 || strcmp(words[1], "help") == 0) {
        print_usage(stdout);
        return close_output(DONE);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, words[1]) == 0) return close_output(run(commands[i], n - 2, words + 2));
    fprintf(stderr, "smerf: there is no command '%s'; see 'smerf --help'\n", words[1]);
    return WRONG_USE;
}
