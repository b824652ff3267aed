/* libfido2, which talks to security keys that are plugged in, in our own declarations: it is loaded when it is first
   used, and no headers of it are needed. A function may be called once load_fido2 has returned NULL. */
#ifndef HYBRID_FIDO2_H
#define HYBRID_FIDO2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The reason why libfido2 cannot be used, in one line, or NULL if it can. */
const char *load_fido2(void);

typedef struct fido_assert fido_assert_t;
typedef struct fido_cbor_info fido_cbor_info_t;
typedef struct fido_cred fido_cred_t;
typedef struct fido_dev fido_dev_t;
typedef struct fido_dev_info fido_dev_info_t;
typedef struct fido_dev_io fido_dev_io_t;
typedef unsigned int fido_opt_t;

#include "declare-functions.h"
#include "fido2-functions.h"
#undef TYPE
#undef CONSTANT
#undef FUNCTION

/* Functions in the place of those that read and write the reports of a device. */
struct fido_dev_io {
    fido_dev_io_open_t *open;
    fido_dev_io_close_t *close;
    fido_dev_io_read_t *read;
    fido_dev_io_write_t *write;
};

#endif
