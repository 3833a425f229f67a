/* consumer.c - the smallest program that uses an installed smerf. */
#include <smerf.h>
#include <stdio.h>

int main(void) {
    puts(smerf_version());
    return 0;
}
