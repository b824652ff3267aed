/* A program that has been taken over after restrict_process: tries what an attacker would, says what worked, and ends with 0
   if nothing did. With the argument loop it takes all time that it can have. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "restriction.h"

enum { memory = 64 << 20 };

static int worked;

static void tried(const char *what, long result) {
    if (result == -1 && errno == EPERM) return;
    worked++;
    printf("%s: %ld, errno %d\n", what, result, errno);
}

static pthread_barrier_t begun;

/* A thread that was there before, which is restricted, too. */
static void *thread(void *nothing) {
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&begun);
    tried("open in another thread", syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
    return nothing;
}

int main(int count, char **arguments) {
    pthread_t other;
    pthread_barrier_init(&begun, NULL, 2);
    pthread_create(&other, NULL, thread, NULL);
    pthread_barrier_wait(&begun);
    if (restrict_process(memory, 1)) return 100;
    if (count > 1 && !strcmp(arguments[1], "loop")) for (;;) {}
    pthread_barrier_wait(&begun);
    pthread_join(other, NULL);
    tried("open", open("/etc/passwd", O_RDONLY));
    tried("create", open("made", O_WRONLY | O_CREAT, 0600));
    tried("socket", socket(AF_INET, SOCK_STREAM, 0));
    tried("local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (!child) _exit(0);
    tried("fork", child);
    tried("kill", kill(getppid(), 0));
    tried("memory of another", syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0));
    tried("unlink", syscall(SYS_unlinkat, AT_FDCWD, "made", 0));
    tried("executable memory", (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tried("memory made executable", mprotect(page, 4096, PROT_READ | PROT_EXEC));
    /* More memory than it may have is refused, without an error that is ours. */
    void *large = mmap(NULL, memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (large != MAP_FAILED) tried("too much memory", 0);
    printf("%d things worked\n", worked);
    fflush(stdout);
    execl("/bin/false", "false", NULL);
    return worked + (errno != EPERM);
}
