/* What a static program does otherwise than one that is linked to libraries: it takes nothing of the machine that it runs on. Linked by
   tools/package/run --static. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <nss.h>
#include <openssl/crypto.h>
#include <strings.h>

/* A library of this machine needs the machine's own glibc, and would bring a second one into the process. Callers take a library that
   is not there for one that is not installed: libsystemd, libargon2, modules of OpenSSL. */
void *dlopen(const char *name, int flags) {
    (void)name, (void)flags;
    return NULL;
}
void *dlsym(void *library, const char *name) {
    (void)library, (void)name;
    return NULL;
}
int dlclose(void *library) {
    (void)library;
    return -1;
}
char *dlerror(void) { return "a static program loads no libraries"; }

/* Names are those of /etc/hosts and of DNS, users those of /etc/passwd: glibc has the code for these inside, and loads a module for
   whatever else nsswitch.conf names. */
__attribute__((constructor)) static void take_nothing_of_the_machine(void) {
    __nss_configure_lookup("hosts", "files dns");
    __nss_configure_lookup("passwd", "files");
    __nss_configure_lookup("group", "files");
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

int __real_getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* localhost is this machine (RFC 6761, section 6.3), also where there is no /etc/hosts. Without a name glibc gives its addresses. */
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    const int others = AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST;
    if (host && !strcasecmp(host, "localhost") && !(hints && hints->ai_flags & others))
        return __real_getaddrinfo(NULL, service ? service : "0", hints, found);
    return __real_getaddrinfo(host, service, hints, found);
}
