/* Texts that the compiler puts into the program: as Swift literals they take a minute to compile. */
#ifndef HYBRID_RULES_H
#define HYBRID_RULES_H

#include <stddef.h>
#include <stdint.h>

/* A file: its bytes, which live as long as the program. */
struct hybrid_rules {
    const uint8_t *text;
    size_t byte_count;
};

/* The file of this index: the field's rules, then those of each protocol of this project's own. No text behind the last. */
struct hybrid_rules hybrid_rules_file(size_t index);

/* The IDs of all cases that there are or ever were, cases.txt, likewise. */
struct hybrid_rules hybrid_cases_file(void);

/* The frame and the style sheet of reports, page.html, likewise. */
const uint8_t *hybrid_page_text(void);
size_t hybrid_page_byte_count(void);

#endif
