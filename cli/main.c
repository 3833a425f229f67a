/* main.c - the command smerf: a table of commands. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "help.h"
#include "interrupt.h"
#include "program.h"

static const cli_command *const commands[] = {
    &cli_fit,     &cli_tune,       &cli_predict, &cli_neighbors, &cli_index,        &cli_evaluate,
    &cli_compare, &cli_importance, &cli_explain, &cli_cluster,   &cli_embed,        &cli_report,
    &cli_info,    &cli_export,     &cli_merge,   &cli_simulate,  &cli_split_command};

static void print_usage(void) {
    printf("usage: smerf COMMAND [ARGUMENTS] [OPTIONS]\n\nLearns distances and similarities from data.\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
    printf("\nsmerf COMMAND --help tells more about each; smerf help ");
    cli_print_topics();
    printf(" tell of options that several share;\nsmerf --version tells which smerf this is.\n");
}

static const cli_command *find_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static bool asks_for_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int fail_at_name(const char *name) {
    fprintf(stderr, "smerf: there is no command '%s'; see 'smerf --help'\n", name);
    return CLI_WRONG_USE;
}

int main(int n, char **words) {
    cli_catch_interrupts();
    if (n < 2) {
        fprintf(stderr, "smerf: there is no command; see 'smerf --help'\n");
        return CLI_WRONG_USE;
    }
    if (strcmp(words[1], "--version") == 0) {
        printf("smerf %s\n", smerf_version());
        return cli_close_output("smerf", CLI_DONE);
    }
    const cli_command *command = find_command(words[1]);
    if (command != NULL) return cli_close_output("smerf", cli_run_command(command, n - 2, words + 2));
    if (asks_for_help(words[1])) {
        command = n > 2 ? find_command(words[2]) : NULL;
        if (command != NULL)
            cli_print_help(command);
        else if (n == 2)
            print_usage();
        else if (!cli_print_topic(words[2]))
            return fail_at_name(words[2]);
        return cli_close_output("smerf", CLI_DONE);
    }
    return fail_at_name(words[1]);
}
