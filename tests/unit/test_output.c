/* test_output.c - a file is written whole or not at all. */
#include "tests/unit/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/output.h"

static sm_output *open_output(const char *path) {
    sm_output *output = NULL;
    smerf_error error;
    if (sm_output_open(path, &output, &error) != SMERF_OK) fail_msg("%s", error.message);
    return output;
}

static void assert_finished(sm_output *output) {
    smerf_error error;
    if (sm_output_finish(output, &error) != SMERF_OK) fail_msg("%s", error.message);
}

static void assert_not_opened(const char *path, const char *start, const char *words) {
    sm_output *output = NULL;
    smerf_error error;
    assert_int_equal(sm_output_open(path, &output, &error), SMERF_IO);
    assert_null(output);
    assert_says(&error, start, words);
}

/* How many files are in the folder. */
static size_t count_files(const char *path) {
    size_t n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static int start_empty(void **state) {
    (void)state;
    DIR *folder = opendir(".");
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) (void)remove(entry->d_name);
    return closedir(folder);
}

static void a_finished_file_is_there_and_nothing_else(void **state) {
    (void)state;
    sm_output *output = open_output("f");
    sm_output_write(output, "one ", 4);
    sm_output_print(output, "%d\n", 2);
    assert_false(sm_output_has_failed(output));
    assert_int_equal(access("f", F_OK), -1); /* not yet */
    assert_finished(output);
    assert_string_equal(read_text("f"), "one 2\n");
    assert_int_equal(count_files("."), 1);
}

static void the_rights_are_those_of_a_plain_file(void **state) {
    (void)state;
    struct stat facts;
    mode_t mask = umask(027);
    assert_finished(open_output("new"));
    umask(mask);
    assert_int_equal(stat("new", &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    write_text("old", "");
    assert_int_equal(chmod("old", 0600), 0);
    assert_finished(open_output("old"));
    assert_int_equal(stat("old", &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

static void an_existing_file_survives_an_abandoned_write(void **state) {
    (void)state;
    write_text("f", "old");
    sm_output *output = open_output("f");
    sm_output_write(output, "new", 3);
    assert_string_equal(read_text("f"), "old");
    sm_output_abandon(output);
    assert_string_equal(read_text("f"), "old");
    assert_int_equal(count_files("."), 1);
    sm_output_abandon(NULL);
}

/* A limit on the size of files stands for a full disk; in a child, so that it ends with the test. */
static void an_existing_file_survives_a_failed_write(void **state) {
    (void)state;
    write_text("f", "old");
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {4096, 4096};
        signal(SIGXFSZ, SIG_IGN);
        sm_output *output = NULL;
        smerf_error error = {0};
        bool is_right = setrlimit(RLIMIT_FSIZE, &limit) == 0 && sm_output_open("f", &output, &error) == SMERF_OK;
        for (int i = 0; is_right && i < 10000; i++) sm_output_print(output, "line %d\n", i);
        is_right = is_right && sm_output_has_failed(output) && sm_output_finish(output, &error) == SMERF_IO &&
                   strstr(error.message, "f: cannot be written: File too large") != NULL;
        _exit(is_right ? 0 : 1);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    assert_string_equal(read_text("f"), "old");
    assert_int_equal(count_files("."), 1);
}

static void a_full_device_is_reported_in_the_end(void **state) {
    (void)state;
    smerf_error error;
    sm_output *output = open_output("/dev/full");
    sm_output_write(output, "x", 1);
    assert_int_equal(sm_output_finish(output, &error), SMERF_IO);
    assert_says(&error, "/dev/full: cannot be written: ", "No space left on device");
    output = open_output("/dev/full");
    for (int i = 0; i < 10000; i++) sm_output_print(output, "line %d\n", i);
    assert_true(sm_output_has_failed(output));
    sm_output_write(output, "more", 4); /* does no harm */
    assert_int_equal(sm_output_finish(output, &error), SMERF_IO);
}

static void devices_are_written_directly(void **state) {
    (void)state;
    struct stat facts;
    sm_output *output = open_output("/dev/null");
    sm_output_write(output, "x", 1);
    assert_finished(output);
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode)); /* and not renamed over */
}

static void pipes_are_written_directly(void **state) {
    (void)state;
    struct stat facts;
    char text[16] = "";
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    sm_output *output = open_output("pipe");
    sm_output_write(output, "through", 7);
    assert_finished(output);
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
    assert_int_equal(stat("pipe", &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
    assert_int_equal(count_files("."), 1);
}

static void a_dash_is_standard_output(void **state) {
    (void)state;
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), file = open("out", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(dup2(file, STDOUT_FILENO), STDOUT_FILENO);
    sm_output *output = NULL;
    smerf_error error;
    smerf_status status = sm_output_open("-", &output, &error);
    if (status == SMERF_OK) {
        sm_output_write(output, "hello", 5);
        status = sm_output_finish(output, &error);
    }
    dup2(kept, STDOUT_FILENO); /* which finishing has left open */
    close(kept);
    close(file);
    assert_int_equal(status, SMERF_OK);
    assert_string_equal(read_text("out"), "hello");
}

static void a_link_stays_a_link_and_its_target_is_replaced(void **state) {
    (void)state;
    struct stat facts;
    write_text("target", "old");
    assert_int_equal(symlink("target", "link"), 0);
    sm_output *output = open_output("link");
    sm_output_write(output, "new", 3);
    assert_finished(output);
    assert_int_equal(lstat("link", &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_string_equal(read_text("target"), "new");
    assert_int_equal(count_files("."), 2);
}

static void what_is_in_the_way_is_said(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_not_opened("folder", "folder: cannot be written: ", "Is a directory");
    assert_not_opened("absent/f", "absent/f: cannot be written: ", "No such file or directory");
    assert_int_equal(count_files("."), 1);
    assert_int_equal(rmdir("folder"), 0);
}

static void read_only_folders_and_files_are_refused(void **state) {
    (void)state;
    if (geteuid() == 0) skip(); /* who may write everywhere */
    assert_int_equal(mkdir("locked", 0500), 0);
    assert_not_opened("locked/f", "locked/f: cannot be written: ", "Permission denied");
    assert_int_equal(rmdir("locked"), 0);
    write_text("f", "old");
    assert_int_equal(chmod("f", 0400), 0);
    assert_not_opened("f", "f: cannot be written: ", "Permission denied");
    assert_string_equal(read_text("f"), "old");
}

static void a_temporary_name_that_is_taken_is_passed_over(void **state) {
    (void)state;
    char taken[64];
    snprintf(taken, sizeof taken, "f.%ld-0.tmp", (long)getpid());
    write_text(taken, "someone's");
    sm_output *output = open_output("f");
    sm_output_write(output, "new", 3);
    assert_finished(output);
    assert_string_equal(read_text("f"), "new");
    assert_string_equal(read_text(taken), "someone's");
}

static void two_writers_do_not_meet(void **state) {
    (void)state;
    sm_output *first = open_output("f"), *second = open_output("f");
    sm_output_write(first, "first", 5);
    sm_output_write(second, "second", 6);
    assert_finished(second);
    assert_string_equal(read_text("f"), "second");
    assert_finished(first);
    assert_string_equal(read_text("f"), "first");
    assert_int_equal(count_files("."), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_finished_file_is_there_and_nothing_else, start_empty),
        cmocka_unit_test_setup(the_rights_are_those_of_a_plain_file, start_empty),
        cmocka_unit_test_setup(an_existing_file_survives_an_abandoned_write, start_empty),
        cmocka_unit_test_setup(an_existing_file_survives_a_failed_write, start_empty),
        cmocka_unit_test_setup(a_full_device_is_reported_in_the_end, start_empty),
        cmocka_unit_test_setup(devices_are_written_directly, start_empty),
        cmocka_unit_test_setup(pipes_are_written_directly, start_empty),
        cmocka_unit_test_setup(a_dash_is_standard_output, start_empty),
        cmocka_unit_test_setup(a_link_stays_a_link_and_its_target_is_replaced, start_empty),
        cmocka_unit_test_setup(what_is_in_the_way_is_said, start_empty),
        cmocka_unit_test_setup(read_only_folders_and_files_are_refused, start_empty),
        cmocka_unit_test_setup(a_temporary_name_that_is_taken_is_passed_over, start_empty),
        cmocka_unit_test_setup(two_writers_do_not_meet, start_empty),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
