/* program.c - runs one command: errors in one place, one exit code: see program.h. */
#include "program.h"

#include "common.h"

#include <stdio.h>
#include <stdio_ext.h>

#include "help.h"
#include "interrupt.h"

static int exit_code(smerf_status status) {
    switch (status) {
    case SMERF_OK: return CLI_DONE;
    case SMERF_BAD_INPUT:
    case SMERF_BAD_FILE: return CLI_WRONG_USE;
    case SMERF_CANCELLED: return cli_interrupt_status();
    case SMERF_NO_MEMORY:
    case SMERF_IO: return CLI_COULD_NOT;
    }
    return CLI_COULD_NOT;
}

/* One line, whatever is in the name of a file. */
static void print_error(const char *program, smerf_error *error) {
    char text[CLI_SENTENCE_SPACE];
    for (char *c = error->message; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    fprintf(stderr, "%s: %s\n", program, cli_sentence(error, text));
}

int cli_run_command(const cli_command *command, int n, char **words) {
    cli_args args;
    smerf_error error = {0};
    bool wants_help;
    smerf_status status = cli_parse(command, n, words, &args, &wants_help, &error);
    if (status == SMERF_OK && wants_help)
        cli_print_help(command);
    else if (status == SMERF_OK)
        status = command->run(&args, &error);
    if (status == SMERF_OK) cli_show_notes();
    if (status != SMERF_OK) print_error(cli_program(command), &error);
    return exit_code(status);
}

/* A help text that did not reach its reader is a failure; one that nobody asked for is not. (Results are written and
 * checked by the commands.) */
int cli_close_output(const char *program, int code) {
    bool has_text = __fpending(stdout) > 0;
    if (fclose(stdout) == 0 || !has_text) return code;
    fprintf(stderr, "%s: standard output cannot be written\n", program);
    return code == CLI_DONE ? CLI_COULD_NOT : code;
}
