/* interrupt.h - Ctrl-C, and being terminated: whatever a command does, it has ended within a second. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* The exit status of a command that was interrupted, as a shell has it: 128 and the signal's number. */
enum { CLI_INTERRUPTED = 130 };

void cli_catch_interrupts(void);

/* Whether one came: what asks will leave, and put everything away. */
bool cli_is_interrupted(void);

/* The exit status then: 130 for Ctrl-C, 143 for being terminated. */
int cli_interrupt_status(void);

/* While it is followed, work gets a moment to notice by itself; other work (reading, writing) has nothing to put away. No longer
 * following one that was interrupted ends the program.
 *   is_shown  on the line of the terminal that is to be wiped */
void cli_follow_interrupts(bool is_followed, bool is_shown);

/* From now on (or no longer) the first Ctrl-C only asks for a result of what has been done: cli_is_stopping. The second one is
 * an interrupt. */
void cli_offer_to_stop(bool is_offered);
bool cli_is_stopping(void);

/* A folder that was made for results: it is removed if an interrupt finds it empty. NULL: none. The text must live on. */
void cli_remove_when_interrupted(const char *folder);

#endif
