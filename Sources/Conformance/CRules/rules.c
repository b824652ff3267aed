#include "rules.h"

/* #embed is C23's; the toolchain's compiler has it for every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t field[] = {
#embed "../../../Vectors/rules.json"
};
static const uint8_t passkey_exchange[] = {
#embed "../../../Vectors/passkey-exchange/rules.json"
};
static const uint8_t tunnel_service[] = {
#embed "../../../Vectors/tunnel-service/rules.json"
};

static const uint8_t cases[] = {
#embed "cases.txt"
};

struct hybrid_rules hybrid_cases_file(void) { return (struct hybrid_rules){cases, sizeof cases}; }

static const uint8_t page[] = {
#embed "page.html"
};

const uint8_t *hybrid_page_text(void) { return page; }

size_t hybrid_page_byte_count(void) { return sizeof page; }

static const struct hybrid_rules files[] = {
    {field, sizeof field},
    {passkey_exchange, sizeof passkey_exchange},
    {tunnel_service, sizeof tunnel_service},
};

struct hybrid_rules hybrid_rules_file(size_t index) {
    return index < sizeof files / sizeof *files ? files[index] : (struct hybrid_rules){0, 0};
}
