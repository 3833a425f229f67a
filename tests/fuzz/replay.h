/* replay.h - what a fuzz harness must provide; and with -DREPLAY, a main that gives it the files it is called with. */
#ifndef TESTS_FUZZ_REPLAY_H
#define TESTS_FUZZ_REPLAY_H

#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#ifdef REPLAY
int main(int n_arguments, char **arguments) {
    for (int i = 1; i < n_arguments; i++) {
        static uint8_t data[1 << 20];
        FILE *file = fopen(arguments[i], "rb");
        if (file == NULL) {
            perror(arguments[i]);
            return 1;
        }
        size_t n = fread(data, 1, sizeof data, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, n);
    }
    return 0;
}
#endif
#endif
