#ifndef LIBRARY_CALLS_H
#define LIBRARY_CALLS_H

#include <stddef.h>

/* Looks for these bytes, at most 64, in all memory that is given back from now on; for none if the count is 0. */
void library_calls_look_for(const void *bytes, size_t count);

/* The number of blocks with those bytes that were given back. */
size_t library_calls_found(void);

/* Notes calls that change files below a folder from now on. */
void library_calls_note_files(const char *folder);

/* What was noted: a line a call. */
const char *library_calls_noted(void);

#endif
