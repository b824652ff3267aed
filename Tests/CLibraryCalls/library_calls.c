/* Calls of the C library that stand in the place of its own, in the whole process: they look at what is given back to the allocator, and
   note the order in which files are changed. */
#define _GNU_SOURCE
#include "library_calls.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void __libc_free(void *);
extern void *__libc_realloc(void *, size_t);

static unsigned char wanted[64];
static atomic_size_t wanted_count;
static atomic_size_t found;

void library_calls_look_for(const void *bytes, size_t count) {
    wanted_count = 0;
    memcpy(wanted, bytes, count);
    wanted_count = count;
}

size_t library_calls_found(void) { return found; }

static void look_at(void *block) {
    size_t count = wanted_count;
    if (count && block && memmem(block, malloc_usable_size(block), wanted, count)) found++;
}

void free(void *block) {
    look_at(block);
    __libc_free(block);
}

void *realloc(void *block, size_t count) {
    look_at(block);
    return __libc_realloc(block, count);
}

static char folder[4096];
static char notes[1 << 16];
static size_t note_count;

void library_calls_note_files(const char *path) { snprintf(folder, sizeof folder, "%s", path); }

const char *library_calls_noted(void) { return notes; }

/* The name of a path below the folder: "." for the folder itself; NULL for another one. */
static const char *name(const char *path) {
    size_t count = strlen(folder);
    if (!count || strncmp(path, folder, count)) return NULL;
    return path[count] == '/' ? path + count + 1 : path[count] ? NULL : ".";
}

static void note(const char *call, const char *first, const char *second) {
    note_count += snprintf(notes + note_count, sizeof notes - note_count, "%s %s%s%s\n", call, first, second ? " " : "", second ? second : "");
}

static void note_file(const char *call, int file) {
    char link[64], path[4096];
    if (!*folder) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t count = readlink(link, path, sizeof path - 1);
    if (count < 0) return;
    path[count] = 0;
    if (name(path)) note(call, name(path), NULL);
}

ssize_t write(int file, const void *bytes, size_t count) {
    note_file("write", file);
    return syscall(SYS_write, file, bytes, count);
}

int fsync(int file) {
    note_file("fsync", file);
    return syscall(SYS_fsync, file);
}

int rename(const char *old, const char *new) {
    if (name(old) && name(new)) note("rename", name(old), name(new));
    return syscall(SYS_renameat2, -100, old, -100, new, 0);
}
