#define _GNU_SOURCE
#include "restriction.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static int limit(int resource, rlim_t most) {
    const struct rlimit both = {most, most};
    return setrlimit(resource, &both);
}

int restrict_process(size_t memory, unsigned seconds) {
#ifdef ARCHITECTURE
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), RETURN(SECCOMP_RET_ALLOW)
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(brk), ALLOW(munmap), ALLOW(mremap),
        ALLOW(madvise), ALLOW(futex), ALLOW(clock_gettime), ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask),
        /* Of memory, whatever is not to be executed. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 0, 3),
        LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (limit(RLIMIT_CORE, 0) || limit(RLIMIT_DATA, memory) || limit(RLIMIT_CPU, seconds) ||
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ? -1 : 0;
#else
    return -1;
#endif
}
