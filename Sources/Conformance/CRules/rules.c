#include "rules.h"

/* #embed is C23's; the toolchain's compiler has it for every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t rules[] = {
#embed "../../../Vectors/rules.json"
};

const uint8_t *hybrid_rules_text(void) { return rules; }

size_t hybrid_rules_byte_count(void) { return sizeof rules; }

static const uint8_t page[] = {
#embed "page.html"
};

const uint8_t *hybrid_page_text(void) { return page; }

size_t hybrid_page_byte_count(void) { return sizeof page; }
