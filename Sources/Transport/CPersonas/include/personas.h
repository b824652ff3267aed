/* The quirks and personas of devices, apart from CRules: hybrid has them in it, and nothing else of the runner's texts. */
#ifndef HYBRID_PERSONAS_H
#define HYBRID_PERSONAS_H

#include <stddef.h>
#include <stdint.h>

/* personas.json: its bytes, which live as long as the program, and their number. */
const uint8_t *hybrid_personas_text(void);
size_t hybrid_personas_byte_count(void);

#endif
