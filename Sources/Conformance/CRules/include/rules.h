/* The text of Vectors/rules.json, which the compiler puts into the program: as a Swift literal it takes a minute to compile. */
#ifndef HYBRID_RULES_H
#define HYBRID_RULES_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of the text; it lives as long as the program. */
const uint8_t *hybrid_rules_text(void);

/* The number of bytes. */
size_t hybrid_rules_byte_count(void);

#endif
