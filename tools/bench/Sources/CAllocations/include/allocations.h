/* How often this thread has asked for memory on the heap. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/* The number of calls of malloc, calloc, realloc and the aligned ones by this thread since it began. */
uint64_t allocations_of_this_thread(void);

/* Keeps freed memory in the process. Otherwise a block of frames that is freed at once gives its pages back to the kernel,
 * and the measurement is one of page faults, which a session with its few frames does not have. */
void allocations_keep_memory(void);

#endif
