#include "rules.h"

/* #embed is C23's; the toolchain's compiler has it for every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t text[] = {
#embed "../../../Vectors/rules.json"
};

const uint8_t *hybrid_rules_text(void) { return text; }

size_t hybrid_rules_byte_count(void) { return sizeof text; }
