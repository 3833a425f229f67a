/* test_mentions.c - sentences say where they name an option, whatever else they quote (src/base/status.c), and the command
 * writes these places in its own words (cli/command.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "cli/command.h"

static void assert_mentioned(const smerf_error *error, size_t m, const char *text) {
    assert_true(m < error->n_mentions);
    assert_int_equal(error->mention[m].length, strlen(text));
    assert_memory_equal(error->message + error->mention[m].at, text, strlen(text));
}

static void assert_command_says(const smerf_error *error, const char *sentence) {
    char text[CLI_SENTENCE_SPACE];
    assert_string_equal(cli_sentence(error, text), sentence);
}

static void an_option_stands_without_braces_and_is_mentioned(void **state) {
    (void)state;
    smerf_error error;
    assert_int_equal(sm_fail(&error, SMERF_BAD_INPUT, "{min_parent}: %d is below %d", 1, 2), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "min_parent: 1 is below 2");
    assert_int_equal(error.n_mentions, 1);
    assert_mentioned(&error, 0, "min_parent");
    assert_command_says(&error, "--min-parent: 1 is below 2");
}

static void several_options_are_mentioned_in_order_with_their_values(void **state) {
    (void)state;
    smerf_error error;
    (void)sm_fail(&error, SMERF_BAD_INPUT, "%s wants {%s}, perhaps {item_weights}, not {sample a_b}", "epm", "edges");
    assert_string_equal(error.message, "epm wants edges, perhaps item_weights, not sample a_b");
    assert_int_equal(error.n_mentions, 3);
    assert_mentioned(&error, 0, "edges");
    assert_mentioned(&error, 2, "sample a_b");
    assert_command_says(&error, "epm wants --edges, perhaps --item-weights, not --sample a_b");
}

static void a_sentence_without_options_mentions_none_even_after_one_that_did(void **state) {
    (void)state;
    smerf_error error;
    (void)sm_fail(&error, SMERF_BAD_INPUT, "{rank}: no");
    (void)sm_fail_at(&error, 3, 4, "no %s", "rank");
    assert_int_equal(error.n_mentions, 0);
    assert_int_equal(error.row, 3);
    assert_command_says(&error, "no rank");
}

static void what_a_sentence_quotes_is_never_an_option(void **state) {
    (void)state;
    smerf_error error;
    (void)sm_fail(&error, SMERF_BAD_INPUT, "column '%s' and {rank}", "{seed}\n}{");
    assert_string_equal(error.message, "column '{seed} }{' and rank");
    assert_int_equal(error.n_mentions, 1);
    assert_mentioned(&error, 0, "rank");
    assert_command_says(&error, "column '{seed} }{' and --rank");
}

static void bytes_that_are_no_text_leave_the_message_one_line_and_whole(void **state) {
    (void)state;
    smerf_error error;
    (void)sm_fail(&error, SMERF_IO, "%s: cannot be read {seed}", "a\xff\xfe\xff\xfe\x01");
    assert_null(memchr(error.message, 0xff, strlen(error.message)));
    assert_null(memchr(error.message, 0xfe, strlen(error.message)));
    assert_mentioned(&error, error.n_mentions - 1, "seed");
}

static void more_mentions_than_an_error_holds_are_plain_words(void **state) {
    (void)state;
    smerf_error error;
    (void)sm_fail(&error, SMERF_BAD_INPUT, "{a} {b} {c} {d} {e} {f}");
    assert_string_equal(error.message, "a b c d e f");
    assert_int_equal(error.n_mentions, SMERF_MOST_MENTIONS);
    assert_command_says(&error, "--a --b --c --d e f");
}

static void a_message_that_is_cut_off_mentions_what_is_there(void **state) {
    (void)state;
    char long_name[1000];
    smerf_error error;
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    (void)sm_fail(&error, SMERF_BAD_INPUT, "{rank} %s {seed}", long_name);
    assert_int_equal(error.n_mentions, 1);
    assert_mentioned(&error, 0, "rank");
    for (size_t n = 460; n < 485; n++) { /* in the midst of a mention, too */
        (void)sm_fail(&error, SMERF_BAD_INPUT, "%.*s{min_parent}", (int)n, long_name);
        assert_true(strlen(error.message) < sizeof error.message);
        if (error.n_mentions > 0) assert_mentioned(&error, 0, "min_parent");
    }
}

static void an_error_within_another_keeps_its_mentions(void **state) {
    (void)state;
    smerf_error inner, outer, cut;
    (void)sm_fail_at(&inner, 5, 6, "plugin: needs {sample none} and {rank}");
    assert_int_equal(sm_fail_within(&outer, &inner, strlen("plugin: "), "{methods}: %s: ", "plugin"), SMERF_BAD_INPUT);
    assert_string_equal(outer.message, "methods: plugin: needs sample none and rank");
    assert_int_equal(outer.n_mentions, 3);
    assert_mentioned(&outer, 1, "sample none");
    assert_mentioned(&outer, 2, "rank");
    assert_true(outer.row == 5 && outer.column == 6);
    assert_command_says(&outer, "--methods: plugin: needs --sample none and --rank");
    assert_int_equal(sm_fail_within(&cut, &inner, strlen("plugin: needs sam"), "%s", ""), SMERF_BAD_INPUT);
    assert_int_equal(cut.n_mentions, 1);
    assert_mentioned(&cut, 0, "rank");
    assert_int_equal(sm_fail_within(NULL, &inner, 0, "%s", ""), SMERF_BAD_INPUT);
}

static void an_error_within_a_long_one_is_cut_off_with_its_mentions(void **state) {
    (void)state;
    char words[480];
    smerf_error inner, outer;
    memset(words, 'y', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    (void)sm_fail(&inner, SMERF_BAD_INPUT, "it is {rank} here");
    for (size_t n = 440; n < sizeof words; n++) {
        (void)sm_fail_within(&outer, &inner, 0, "%.*s", (int)n, words);
        assert_true(strlen(outer.message) < sizeof outer.message);
        if (outer.n_mentions > 0) assert_mentioned(&outer, 0, "rank");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_option_stands_without_braces_and_is_mentioned),
        cmocka_unit_test(several_options_are_mentioned_in_order_with_their_values),
        cmocka_unit_test(a_sentence_without_options_mentions_none_even_after_one_that_did),
        cmocka_unit_test(what_a_sentence_quotes_is_never_an_option),
        cmocka_unit_test(bytes_that_are_no_text_leave_the_message_one_line_and_whole),
        cmocka_unit_test(more_mentions_than_an_error_holds_are_plain_words),
        cmocka_unit_test(a_message_that_is_cut_off_mentions_what_is_there),
        cmocka_unit_test(an_error_within_another_keeps_its_mentions),
        cmocka_unit_test(an_error_within_a_long_one_is_cut_off_with_its_mentions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
