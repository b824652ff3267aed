/* The end of this process's rights, before a library reads what others have sent. */
#ifndef HYBRID_RESTRICTION_H
#define HYBRID_RESTRICTION_H

#include <stddef.h>

/* From here on this process, with all its threads, can read and write its open files, use memory, and end: it opens no
   file, no socket and no device, starts no program, makes no memory executable, and gets no rights by a program that has
   more (seccomp(2), with the error EPERM). It has at most this many bytes of memory, and this many seconds of a processor.
   Returns 0, or -1 if the kernel cannot do it, or does not know this machine's architecture here. */
int restrict_process(size_t memory, unsigned seconds);

#endif
