/* help.c - prints a command's help, and the topics that commands share: see help.h. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include "common.h"
#include "fit_options.h"

/* Options that several commands share: each list is shown once, and a command's help names what is in it. */
static const struct {
    const char *name, *what;
    const cli_option *options;
} topics[] = {
    {"targets", "What is known of the distances, one of", cli_target_options},
    {"fit-options", "How to learn", cli_fit_options},
    {"items", "How to read ITEMS", cli_item_options},
};

enum { N_TOPICS = sizeof topics / sizeof *topics, LINE = 100, LEFT = 26 };

static void print_option(const cli_option *option) {
    char left[64];
    if (option->name[0] == '\0') {
        printf("%s\n", option->help);
        return;
    }
    snprintf(left, sizeof left, "%s%s%s", option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    printf("  %-*s %s\n", LEFT, left, option->help);
}

static void print_options(const cli_option *options) {
    for (const cli_option *option = options; option->name != NULL; option++) print_option(option);
}

/* The names of a list's options, in lines. */
static void print_names(const cli_option *options) {
    size_t at = 0;
    for (const cli_option *option = options; option->name != NULL; option++) {
        size_t n = strlen(option->name);
        if (n == 0) continue; /* a heading */
        if (at + n + 1 > LINE) {
            printf("\n");
            at = 0;
        }
        printf("%s%s", at == 0 ? "  " : " ", option->name);
        at += n + (at == 0 ? 2 : 1);
    }
    printf("\n");
}

static size_t find_topic(const cli_option *options) {
    size_t t = 0;
    while (t < N_TOPICS && topics[t].options != options) t++;
    return t;
}

void cli_print_help(const cli_command *command) {
    printf("usage: %s %s\n\n%s\n", cli_program(command), command->usage, command->summary);
    for (const cli_option *const *group = command->option_groups; *group != NULL; group++) {
        size_t t = find_topic(*group);
        printf("\n");
        if (t < N_TOPICS) {
            printf("%s (smerf help %s):\n", topics[t].what, topics[t].name);
            print_names(*group);
        } else {
            print_options(*group);
        }
    }
    if (command->examples == NULL) return;
    printf("\nExamples:\n");
    for (const char *const *example = command->examples; *example != NULL; example++) printf("  %s\n", *example);
}

bool cli_print_topic(const char *name) {
    for (size_t t = 0; t < N_TOPICS; t++) {
        if (strcmp(topics[t].name, name) != 0) continue;
        if (topics[t].options[0].name[0] != '\0')
            printf("%s:\n", topics[t].what); /* else the list begins with a heading */
        print_options(topics[t].options);
        return true;
    }
    return false;
}

void cli_print_topics(void) {
    for (size_t t = 0; t < N_TOPICS; t++)
        printf("%s%s", t == 0 ? "" : t + 1 == N_TOPICS ? " and " : ", ", topics[t].name);
}
