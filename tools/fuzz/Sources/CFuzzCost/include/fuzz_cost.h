#ifndef FUZZ_COST_H
#define FUZZ_COST_H

#include <stddef.h>

/* What a thread has taken from the allocator since it began to count, bytes. */
struct fuzz_cost {
    /* As they were asked for, all together; what grows counts whole each time. */
    size_t allocated;
    /* The most at one time, as the allocator gives them. */
    size_t held;
};

/* Begins to count what this thread allocates. */
void fuzz_cost_begin(void);

/* Ends the count. */
struct fuzz_cost fuzz_cost_end(void);

/* The number of levels that libFuzzer tells apart. */
enum { fuzz_cost_level_count = 64 };

/* Tells libFuzzer how much an execution cost: an input that reaches a level for the first time is kept. */
void fuzz_cost_reach(size_t level);

#endif
