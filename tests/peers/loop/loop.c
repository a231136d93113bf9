/* The least that a program can do to read 4 KiB blocks at random: one pread after the other, past
 * the page cache, bound to one processor.
 *
 *   loop PATH SPAN SECONDS PROCESSOR CLOCK
 *
 * CLOCK 1 reads the clock before and after each call and keeps the difference, as whoever wants
 * percentiles has to. The order is a permutation made before the start, so no block comes twice
 * until all were read. Prints: I/Os, nanoseconds in all, median latency in ns (0 without clock). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, KEPT = 1 << 24, BETWEEN = 256 };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: loop PATH SPAN SECONDS PROCESSOR CLOCK\n");
    return 2;
  }
  int64_t blocks = atoll(argv[2]) / BLOCK;
  int64_t length = (int64_t)(atof(argv[3]) * 1e9);
  int clocked = atoi(argv[5]);
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(atoi(argv[4]), &processors);
  if (sched_setaffinity(0, sizeof processors, &processors)) fail("binding to a processor");
  int fd = open(argv[1], O_RDONLY | O_DIRECT);
  if (fd < 0) fail(argv[1]);
  void *buffer;
  if (posix_memalign(&buffer, BLOCK, BLOCK)) fail("memory");
  int64_t *order = malloc(blocks * sizeof *order);
  int64_t *kept = clocked ? calloc(KEPT, sizeof *kept) : NULL;
  if (!order || (clocked && !kept)) fail("memory");
  uint64_t state = 88172645463325252;
  for (int64_t i = 0; i < blocks; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17; /* xorshift64 */
    int64_t k = state % (i + 1);
    order[i] = order[k];
    order[k] = i * BLOCK;
  }
  if (clocked) memset(kept, 1, KEPT * sizeof *kept); /* so that no page is missing later */
  int64_t done = 0, next = 0, start = now(), end = start + length, at = start;
  while (at < end) {
    for (int i = 0; i < BETWEEN; i++) {
      int64_t before = clocked ? now() : 0;
      if (pread(fd, buffer, BLOCK, order[next]) != BLOCK) fail("reading");
      if (clocked) kept[done % KEPT] = now() - before;
      done++;
      if (++next == blocks) next = 0;
    }
    at = now();
  }
  int64_t median = 0;
  if (clocked) {
    int64_t n = done < KEPT ? done : KEPT;
    qsort(kept, n, sizeof *kept, ascending);
    median = kept[(n - 1) / 2];
  }
  printf("%lld %lld %lld\n", (long long)done, (long long)(at - start), (long long)median);
  return 0;
}
