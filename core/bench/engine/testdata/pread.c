/* The barest loop of unbuffered 4 KiB reads in random order, to measure the engine against:
   pread PATH BLOCKS READS prints the ns that one read took on average, and those of
   the processor. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    int file = open(arguments[1], O_RDONLY | O_DIRECT);
    long blocks = atol(arguments[2]), reads = atol(arguments[3]);
    void *block;
    if (file < 0 || posix_memalign(&block, 4096, 4096)) {
        perror(arguments[1]);
        return 1;
    }
    struct timespec begin, end, before, after;
    uint64_t number = 88172645463325252u;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < reads; i++) {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        if (pread(file, block, 4096, (off_t)(number % blocks) * 4096) != 4096) {
            perror("pread");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    printf("%.1f %.1f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / reads,
           ((after.tv_sec - before.tv_sec) * 1e9 + (after.tv_nsec - before.tv_nsec)) / reads);
    return 0;
}
