/* libnats, the client of NATS servers, in our own declarations: it is loaded when it is first used, and no headers of
   it are needed. A function may be called once load_nats has returned NULL. */
#ifndef HYBRID_NATS_H
#define HYBRID_NATS_H

#include <stdbool.h>
#include <stdint.h>

/* The reason why libnats cannot be used, in one line, or NULL if it can. */
const char *load_nats(void);

typedef struct natsConnection natsConnection;
typedef struct natsMsg natsMsg;
typedef struct natsOptions natsOptions;
typedef struct natsSubscription natsSubscription;
typedef unsigned int natsConnStatus;
typedef unsigned int natsStatus;

#include "declare-functions.h"
#include "nats-functions.h"
#undef TYPE
#undef CONSTANT
#undef FUNCTION

#endif
