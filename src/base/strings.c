/* strings.c - lists of strings, as one block of bytes and back; UTF-8: see strings.h. */
#include "base/strings.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

bool sm_strings_copy(sm_strings *strings, const char *const *text, size_t n) {
    *strings = (sm_strings){.n = 0, .text = sm_zeros(n, sizeof *strings->text)};
    if (strings->text == NULL) return false;
    for (; strings->n < n; strings->n++) {
        strings->text[strings->n] = sm_copy_string(text[strings->n]);
        if (strings->text[strings->n] == NULL) {
            sm_strings_free(strings);
            return false;
        }
    }
    return true;
}

bool sm_strings_unpack(sm_strings *strings, const char *block, size_t n_bytes, size_t n) {
    *strings = (sm_strings){0};
    if (n > n_bytes) return false; /* each needs its NUL: no absurd n gets memory */
    const char **text = sm_array(n, sizeof *text);
    if (text == NULL) return false;
    size_t n_found = 0;
    const char *next = block, *end = block + n_bytes;
    while (n_found < n && next < end) {
        const char *stop = memchr(next, '\0', (size_t)(end - next));
        if (stop == NULL) break;
        text[n_found++] = next;
        next = stop + 1;
    }
    bool is_whole = n_found == n && next == end && sm_strings_copy(strings, text, n);
    sm_free(text);
    return is_whole;
}

char *sm_strings_pack(const sm_strings *strings, size_t *n_bytes) {
    *n_bytes = 0;
    for (size_t i = 0; i < strings->n; i++) *n_bytes += strlen(strings->text[i]) + 1;
    char *block = sm_array(*n_bytes, 1), *next = block;
    for (size_t i = 0; i < strings->n && block != NULL; i++) {
        size_t size = strlen(strings->text[i]) + 1;
        memcpy(next, strings->text[i], size);
        next += size;
    }
    return block;
}

void sm_strings_free(sm_strings *strings) {
    for (size_t i = 0; i < strings->n; i++) sm_free(strings->text[i]);
    sm_free(strings->text);
    *strings = (sm_strings){0};
}

bool sm_strings_equal(const sm_strings *a, const sm_strings *b) {
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->text[i], b->text[i]) != 0) return false;
    return true;
}

/* The number of bytes that follow a first byte, and the smallest character they may stand for. */
static int n_following(unsigned char first, uint32_t *character, uint32_t *smallest) {
    if (first < 0x80) {
        *character = first;
        *smallest = 0;
        return 0;
    }
    int n = first >= 0xf8 ? -1 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1;
    *character = n > 0 ? first & (0x3fu >> n) : 0;
    *smallest = n == 1 ? 0x80 : n == 2 ? 0x800 : 0x10000;
    return n;
}

size_t sm_utf8_length(const char *text, size_t n) {
    for (size_t position = 0; position < n;) {
        uint32_t character, smallest;
        int n_more = n_following((unsigned char)text[position], &character, &smallest);
        if (n_more < 0 || (size_t)n_more >= n - position) return position;
        for (size_t i = 1; i <= (size_t)n_more; i++) {
            unsigned char byte = (unsigned char)text[position + i];
            if ((byte & 0xc0) != 0x80) return position;
            character = character << 6 | (byte & 0x3f);
        }
        bool is_surrogate = character >= 0xd800 && character < 0xe000;
        if (character < smallest || character > 0x10ffff || is_surrogate) return position;
        position += (size_t)n_more + 1;
    }
    return n;
}

bool sm_is_utf8(const char *text) { return sm_utf8_length(text, strlen(text)) == strlen(text); }
