/* Counts what a thread allocates: the C library's allocator, with functions before it that stand in its place in the whole process. Without
   them (FUZZ_ALLOCATOR_OF_SANITIZER), as AddressSanitizer has an allocator of its own, nothing is counted. */
#define _GNU_SOURCE
#include "fuzz_cost.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

static __thread struct {
    int counts;
    struct fuzz_cost cost;
    ptrdiff_t held;
} count;

void fuzz_cost_begin(void) {
    memset(&count, 0, sizeof count);
    count.counts = 1;
}

struct fuzz_cost fuzz_cost_end(void) {
    count.counts = 0;
    return count.cost;
}

__attribute__((section("__libfuzzer_extra_counters"), used)) static unsigned char levels[fuzz_cost_level_count];

void fuzz_cost_reach(size_t level) { levels[level < fuzz_cost_level_count ? level : fuzz_cost_level_count - 1] = 1; }

#ifndef FUZZ_ALLOCATOR_OF_SANITIZER

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *took(void *block, size_t size) {
    if (count.counts && block) {
        count.cost.allocated += size;
        count.held += malloc_usable_size(block);
        if (count.held > 0 && (size_t)count.held > count.cost.held) count.cost.held = count.held;
    }
    return block;
}

static void gives(void *block) {
    if (count.counts && block) count.held -= malloc_usable_size(block);
}

void *malloc(size_t size) { return took(__libc_malloc(size), size); }

void *calloc(size_t number, size_t size) { return took(__libc_calloc(number, size), number * size); }

void *realloc(void *block, size_t size) {
    gives(block);
    return took(__libc_realloc(block, size), size);
}

void *memalign(size_t alignment, size_t size) { return took(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

void free(void *block) {
    gives(block);
    __libc_free(block);
}

#endif
