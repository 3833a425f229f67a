/* files.h - for tests of readers and writers: a folder of their own, small files in it, and what errors say. */
#ifndef TESTS_UNIT_FILES_H
#define TESTS_UNIT_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "smerf.h"
#include "tests/unit/effort.h"

static char files_folder[64];

/* Group setup: makes a folder and goes there, so that messages name files without a path. */
static inline int files_enter(void **state) {
    (void)state;
    strcpy(files_folder, "/tmp/smerf-test-XXXXXX");
    return mkdtemp(files_folder) == NULL || chdir(files_folder) != 0;
}

/* Group teardown: removes the folder and what is in it. */
static inline int files_leave(void **state) {
    (void)state;
    DIR *folder = opendir(".");
    if (folder == NULL) return 1;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        (void)remove(entry->d_name); /* fails for "." and "..", which is fine */
    closedir(folder);
    return chdir("/") != 0 || rmdir(files_folder) != 0;
}

static inline void write_bytes(const char *path, const void *bytes, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

/* A .npy file of version 1 with the given dictionary, which numpy would pad and the format does not ask to. */
static inline void write_npy(const char *path, const char *dictionary, const void *data, size_t n) {
    size_t length = strlen(dictionary);
    char bytes[4096] = "\x93NUMPY\x01";
    assert_true(length < 256 && 10 + length + n < sizeof bytes);
    bytes[8] = (char)length;
    memcpy(bytes + 10, dictionary, length);
    memcpy(bytes + 10 + length, data, n);
    write_bytes(path, bytes, 10 + length + n);
}

/* What a file holds, ended by NUL; valid until the next call. */
static inline const char *read_text(const char *path) {
    static char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* The message starts with one text and holds the other, on one line. */
static inline void assert_says(const smerf_error *error, const char *start, const char *words) {
    if (strncmp(error->message, start, strlen(start)) != 0 || strstr(error->message, words) == NULL)
        fail_msg("said \"%s\" and not \"%s ... %s\"", error->message, start, words);
    assert_null(strchr(error->message, '\n'));
}

#endif
