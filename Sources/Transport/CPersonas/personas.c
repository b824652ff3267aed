#include "personas.h"

/* #embed is C23's; the toolchain's compiler has it for every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t personas[] = {
#embed "personas.json"
};

const uint8_t *hybrid_personas_text(void) { return personas; }

size_t hybrid_personas_byte_count(void) { return sizeof personas; }
