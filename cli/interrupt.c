/* interrupt.c - see interrupt.h.
 *
 * The library notices an interrupt where it reports progress, which may be some time after it. Nothing needs this: unfinished
 * files have no name (src/base/output.h), and memory is the system's. So a timer is started with the signal, and ends the
 * program where it has not ended by itself. Handlers do nothing but system calls. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t number, is_followed, is_line_shown, is_stop_offered, is_stopping;
static const char *volatile folder_made;

enum { PATIENCE = 400000 }; /* microseconds */

static void put_line(const char *line, size_t n) {
    static const char wipe[] = "\r\033[K";
    if (is_line_shown) (void)!write(STDERR_FILENO, wipe, sizeof wipe - 1);
    (void)!write(STDERR_FILENO, line, n);
}

static void end_now(int signal_number) {
    static const char line[] = "smerf: cancelled\n";
    (void)signal_number;
    put_line(line, sizeof line - 1);
    if (folder_made != NULL) rmdir(folder_made);
    _exit(cli_interrupt_status());
}

static void take_interrupt(int signal_number) {
    static const char line[] = "smerf: stopping, with the best so far; press Ctrl-C again to stop without a model\n";
    static const struct itimerval soon = {.it_value = {.tv_usec = PATIENCE}};
    if (signal_number == SIGINT && is_stop_offered && !is_stopping) {
        is_stopping = 1;
        put_line(line, sizeof line - 1);
        return;
    }
    bool is_first = number == 0 && !is_stopping;
    number = signal_number;
    if (!is_first || !is_followed) end_now(signal_number);
    setitimer(ITIMER_REAL, &soon, NULL);
}

void cli_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = take_interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = end_now;
    sigaction(SIGALRM, &action, NULL);
}

bool cli_is_interrupted(void) { return number != 0; }

int cli_interrupt_status(void) { return number == SIGTERM ? 128 + SIGTERM : CLI_INTERRUPTED; }

void cli_follow_interrupts(bool is_now_followed, bool is_shown) {
    is_followed = is_now_followed;
    if (!is_now_followed && number != 0) end_now(number);
    is_line_shown = is_shown;
}

void cli_offer_to_stop(bool is_offered) { is_stop_offered = is_offered; }

bool cli_is_stopping(void) { return is_stopping != 0; }

void cli_remove_when_interrupted(const char *folder) { folder_made = folder; }
