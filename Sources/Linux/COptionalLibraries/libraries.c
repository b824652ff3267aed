/* Loads libraries that not every machine has, when they are first used. A library is found by its SONAME as the dynamic
   linker finds those that a program is linked to: by LD_LIBRARY_PATH, which is the user's own affair, and in the
   system's folders; never in the working directory. It is never unloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "fido2.h"
#include "nats.h"
#include "pictures.h"

/* A function of a library, and where its address is kept. */
struct function {
    const char *name;
    void **pointer;
};

/* The longest reason, in bytes. */
enum { reason_size = 512 };

/* The name that a library gives itself; NULL if none. */
static const char *soname(void *library) {
    struct link_map *map;
    const char *texts = NULL;
    size_t place = 0;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map)) return NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB) texts = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_SONAME) place = entry->d_un.d_val;
    }
    return texts && place ? texts + place : NULL;
}

/* Loads the first of these libraries that this machine has, by its SONAME, and finds all functions of a list that ends
   with a name of NULL. Returns NULL, or the reason why it cannot be used, which is written to `reason`. */
static const char *load(const char *const *names, const struct function *functions, char reason[reason_size]) {
    /* Such a program has more rights than its user, and takes nothing that the user could have put there. */
    if (getauxval(AT_SECURE)) return "a program with more rights than its user loads no libraries";
    void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library) snprintf(reason, reason_size, "%s", dlerror());
    while (!library && *++names) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library) return reason;
    const char *own_name = soname(library);
    if (!own_name || strcmp(own_name, *names)) {
        snprintf(reason, reason_size, "%s is %s by its own name", *names, own_name ? own_name : "nothing");
        return reason;
    }
    for (; functions->name; functions++) {
        *functions->pointer = dlsym(library, functions->name);
        if (!*functions->pointer) {
            snprintf(reason, reason_size, "%s has no %s", *names, functions->name);
            return reason;
        }
    }
    return NULL;
}

#define TYPE(name, type)
#define CONSTANT(type, name, value)
#define FUNCTION(type, name, parameters, arguments) type (*name##_pointer) parameters;
#include "fido2-functions.h"
#include "nats-functions.h"
#include "png-functions.h"
#include "zbar-functions.h"
#undef FUNCTION
#define FUNCTION(type, name, parameters, arguments) {#name, (void **)&name##_pointer},
static const struct function fido2_functions[] = {
#include "fido2-functions.h"
    {0}};
static const struct function nats_functions[] = {
#include "nats-functions.h"
    {0}};
static const struct function png_functions[] = {
#include "png-functions.h"
    {0}};
static const struct function zbar_functions[] = {
#include "zbar-functions.h"
    {0}};

const char *load_fido2(void) {
    static const char *const names[] = {"libfido2.so.1", NULL};
    static char reason[reason_size];
    return load(names, fido2_functions, reason);
}

/* Each version of libnats has a SONAME of its own. These have what is declared here, which was compared with the
   headers of each. */
const char *load_nats(void) {
    static const char *const names[] = {"libnats.so.3.4",  "libnats.so.3.5",  "libnats.so.3.6",  "libnats.so.3.7",
                                        "libnats.so.3.8",  "libnats.so.3.9",  "libnats.so.3.10", "libnats.so.3.11",
                                        "libnats.so.3.12", "libnats.so.3.13", NULL};
    static char reason[reason_size];
    return load(names, nats_functions, reason);
}

const char *load_png(void) {
    static const char *const names[] = {"libpng16.so.16", NULL};
    static char reason[reason_size];
    return load(names, png_functions, reason);
}

const char *load_zbar(void) {
    static const char *const names[] = {"libzbar.so.0", NULL};
    static char reason[reason_size];
    return load(names, zbar_functions, reason);
}
