/* Texts that the compiler puts into the program: as Swift literals they take a minute to compile. */
#ifndef HYBRID_RULES_H
#define HYBRID_RULES_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of Vectors/rules.json; it lives as long as the program. */
const uint8_t *hybrid_rules_text(void);

/* The number of bytes. */
size_t hybrid_rules_byte_count(void);

/* The frame and the style sheet of reports, page.html, likewise. */
const uint8_t *hybrid_page_text(void);
size_t hybrid_page_byte_count(void);

#endif
