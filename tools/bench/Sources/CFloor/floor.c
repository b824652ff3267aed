#include "floor.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>

enum { HASH = 32, POINT = 65, COMPRESSED = 33, TAG = 16, NONCE = 12 };

static EVP_MD *sha256;
static EVP_MAC *hmac;
static EVP_MAC_CTX *hmac_sha256;
static EVP_CIPHER *gcm;
static EVP_PKEY *curve;

int floor_prepare(void) {
    OSSL_PARAM group[] = {OSSL_PARAM_construct_utf8_string("group", "prime256v1", 0), OSSL_PARAM_END};
    OSSL_PARAM digest[] = {OSSL_PARAM_construct_utf8_string("digest", "SHA256", 0), OSSL_PARAM_END};
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    int ok = context && sha256 && hmac && gcm && (hmac_sha256 = EVP_MAC_CTX_new(hmac)) &&
             EVP_MAC_init(hmac_sha256, (const uint8_t *)"", 0, digest) == 1 && EVP_PKEY_paramgen_init(context) == 1 &&
             EVP_PKEY_CTX_set_params(context, group) == 1 && EVP_PKEY_paramgen(context, &curve) == 1;
    EVP_PKEY_CTX_free(context);
    return ok;
}

static int point_of(EVP_PKEY *key, uint8_t point[POINT]) {
    size_t count = 0;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, POINT, &count) == 1;
}

static EVP_PKEY *drawn_key(void) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, curve, NULL);
    if (context && EVP_PKEY_keygen_init(context) == 1) EVP_PKEY_generate(context, &key);
    EVP_PKEY_CTX_free(context);
    return key;
}

void *floor_key_new(uint8_t point[POINT]) {
    EVP_PKEY *key = drawn_key();
    if (key) point_of(key, point);
    return key;
}

void floor_key_free(void *key) { EVP_PKEY_free(key); }

/* The contexts and the running values of one handshake. */
struct side {
    EVP_MD_CTX *digest;
    EVP_MAC_CTX *hmac;
    EVP_CIPHER_CTX *cipher;
    uint8_t hash[HASH], chaining_key[HASH], out[3 * HASH];
};

static int mix_hash(struct side *side, const uint8_t *bytes, size_t count) {
    return EVP_DigestInit_ex2(side->digest, sha256, NULL) == 1 &&
           EVP_DigestUpdate(side->digest, side->hash, HASH) == 1 && EVP_DigestUpdate(side->digest, bytes, count) == 1 &&
           EVP_DigestFinal_ex(side->digest, side->hash, NULL) == 1;
}

static int code(struct side *side, const uint8_t *message, size_t count, const uint8_t *more, size_t more_count,
                uint8_t out[HASH]) {
    size_t written;
    return EVP_MAC_update(side->hmac, message, count) == 1 && EVP_MAC_update(side->hmac, more, more_count) == 1 &&
           EVP_MAC_final(side->hmac, out, &written, HASH) == 1;
}

/* HKDF, of libcrypto's HMAC: its own HKDF looks that up by name each time. */
static int derive(struct side *side, const uint8_t *salt, size_t salt_count, const uint8_t *secret, size_t count,
                  const uint8_t *info, size_t info_count, size_t out_count) {
    uint8_t key[HASH], last[8];
    memcpy(last, info, info_count);
    int ok = EVP_MAC_init(side->hmac, salt, salt_count, NULL) == 1 && code(side, secret, count, NULL, 0, key) &&
             EVP_MAC_init(side->hmac, key, HASH, NULL) == 1;
    for (size_t block = 0; ok && block * HASH < out_count; block++) {
        uint8_t *out = side->out + block * HASH;
        last[info_count] = (uint8_t)(block + 1);
        ok = (block == 0 || EVP_MAC_init(side->hmac, NULL, 0, NULL) == 1) &&
             code(side, out - (block ? HASH : 0), block ? HASH : 0, last, info_count + 1, out);
    }
    OPENSSL_cleanse(key, HASH);
    return ok;
}

static int mix_key(struct side *side, const uint8_t *secret, size_t count, size_t keys) {
    if (!derive(side, side->chaining_key, HASH, secret, count, secret, 0, keys * HASH)) return 0;
    memcpy(side->chaining_key, side->out, HASH);
    return 1;
}

/* The tag of no payload, under the last key derived. */
static int seal_nothing(struct side *side, size_t key, uint8_t tag[TAG]) {
    static const uint8_t nonce[NONCE];
    int written;
    return EVP_CipherInit_ex2(side->cipher, gcm, side->out + key * HASH, nonce, 1, NULL) == 1 &&
           EVP_CipherUpdate(side->cipher, NULL, &written, side->hash, HASH) == 1 &&
           EVP_CipherFinal_ex(side->cipher, tag, &written) == 1 &&
           EVP_CIPHER_CTX_ctrl(side->cipher, EVP_CTRL_AEAD_GET_TAG, TAG, tag) == 1;
}

static int open_nothing(struct side *side, size_t key, uint8_t tag[TAG]) {
    static const uint8_t nonce[NONCE];
    int written;
    int ready = EVP_CipherInit_ex2(side->cipher, gcm, side->out + key * HASH, nonce, 0, NULL) == 1 &&
                EVP_CIPHER_CTX_ctrl(side->cipher, EVP_CTRL_AEAD_SET_TAG, TAG, tag) == 1 &&
                EVP_CipherUpdate(side->cipher, NULL, &written, side->hash, HASH) == 1;
    EVP_CipherFinal_ex(side->cipher, tag, &written);
    return ready;
}

static int agree(struct side *side, EVP_PKEY_CTX *own, EVP_PKEY *peer) {
    uint8_t secret[HASH];
    size_t count = HASH;
    int ok = EVP_PKEY_derive_set_peer_ex(own, peer, 0) == 1 && EVP_PKEY_derive(own, secret, &count) == 1 &&
             mix_key(side, secret, HASH, 2);
    OPENSSL_cleanse(secret, HASH);
    return ok;
}

static EVP_PKEY_CTX *agreement(EVP_PKEY *own) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    if (context) EVP_PKEY_derive_init(context);
    return context;
}

/* The ephemeral key drawn, its point mixed in. */
static EVP_PKEY *own_ephemeral(struct side *side) {
    uint8_t point[POINT];
    EVP_PKEY *key = drawn_key();
    if (key && point_of(key, point) && mix_hash(side, point, POINT) && mix_key(side, point, POINT, 2)) return key;
    EVP_PKEY_free(key);
    return NULL;
}

static EVP_PKEY *peer_ephemeral(struct side *side, const uint8_t point[POINT]) {
    EVP_PKEY *key = EVP_PKEY_dup(curve);
    if (key && EVP_PKEY_set1_encoded_public_key(key, point, POINT) == 1 && mix_hash(side, point, POINT) &&
        mix_key(side, point, POINT, 2))
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static int begin(struct side *side, const uint8_t static_point[POINT]) {
    static const uint8_t secret[16], plaintext[16], purpose[4] = {3}, prologue[1] = {1};
    memset(side, 0, sizeof *side);
    side->digest = EVP_MD_CTX_new();
    side->hmac = EVP_MAC_CTX_dup(hmac_sha256);
    side->cipher = EVP_CIPHER_CTX_new();
    uint8_t psk[HASH];
    if (!side->digest || !side->hmac || !side->cipher) return 0;
    if (!derive(side, plaintext, sizeof plaintext, secret, sizeof secret, purpose, sizeof purpose, HASH)) return 0;
    memcpy(psk, side->out, HASH);
    int ok = mix_hash(side, prologue, sizeof prologue) && mix_hash(side, static_point, POINT) &&
             mix_key(side, psk, HASH, 3) && mix_hash(side, side->out + HASH, HASH);
    OPENSSL_cleanse(psk, HASH);
    return ok;
}

/* The two transport ciphers; the handshake's contexts go. */
static int end(struct side *side, int ok) {
    ok = ok && mix_key(side, side->hash, 0, 2);
    void *sealer = ok ? floor_cipher_new(side->out, 1) : NULL;
    void *opener = ok ? floor_cipher_new(side->out + HASH, 0) : NULL;
    ok = ok && sealer && opener;
    floor_cipher_free(sealer);
    floor_cipher_free(opener);
    EVP_MD_CTX_free(side->digest);
    EVP_MAC_CTX_free(side->hmac);
    EVP_CIPHER_CTX_free(side->cipher);
    OPENSSL_cleanse(side, sizeof *side);
    return ok;
}

int floor_initiator(void *static_key, const uint8_t peer_point[POINT]) {
    struct side side;
    uint8_t tag[TAG] = {0};
    EVP_PKEY *own = NULL, *peer = NULL;
    EVP_PKEY_CTX *ephemeral = NULL, *lasting = NULL;
    int ok = begin(&side, peer_point) && (own = own_ephemeral(&side)) && seal_nothing(&side, 1, tag) &&
             mix_hash(&side, tag, TAG) && (peer = peer_ephemeral(&side, peer_point)) &&
             (ephemeral = agreement(own)) && agree(&side, ephemeral, peer) && (lasting = agreement(static_key)) &&
             agree(&side, lasting, peer) && open_nothing(&side, 1, tag) && mix_hash(&side, tag, TAG);
    ok = end(&side, ok);
    EVP_PKEY_CTX_free(ephemeral);
    EVP_PKEY_CTX_free(lasting);
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
    return ok;
}

int floor_responder(void *peer_static_key, const uint8_t peer_point[POINT]) {
    struct side side;
    uint8_t tag[TAG] = {0};
    EVP_PKEY *own = NULL, *peer = NULL;
    EVP_PKEY_CTX *ephemeral = NULL;
    int ok = begin(&side, peer_point) && (peer = peer_ephemeral(&side, peer_point)) && open_nothing(&side, 1, tag) &&
             mix_hash(&side, tag, TAG) && (own = own_ephemeral(&side)) && (ephemeral = agreement(own)) &&
             agree(&side, ephemeral, peer) && agree(&side, ephemeral, peer_static_key) &&
             seal_nothing(&side, 1, tag) && mix_hash(&side, tag, TAG);
    ok = end(&side, ok);
    EVP_PKEY_CTX_free(ephemeral);
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
    return ok;
}

int floor_import(const uint8_t compressed[COMPRESSED]) {
    EVP_PKEY *key = EVP_PKEY_dup(curve);
    int ok = key && EVP_PKEY_set1_encoded_public_key(key, compressed, COMPRESSED) == 1;
    EVP_PKEY_free(key);
    return ok;
}

int floor_sign(void *key, const uint8_t *message, size_t count, uint8_t signature[72], size_t *signature_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    *signature_count = 72;
    int ok = context && EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1 &&
             EVP_DigestSign(context, signature, signature_count, message, count) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}

int floor_verify(void *key, const uint8_t *message, size_t count, const uint8_t *signature, size_t signature_count) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int ok = context && EVP_DigestVerifyInit_ex(context, NULL, "SHA256", NULL, NULL, key, NULL) == 1 &&
             EVP_DigestVerify(context, signature, signature_count, message, count) == 1;
    EVP_MD_CTX_free(context);
    return ok;
}

void *floor_cipher_new(const uint8_t key[32], int sealing) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context) EVP_CipherInit_ex2(context, gcm, key, NULL, sealing, NULL);
    return context;
}

void floor_cipher_free(void *cipher) { EVP_CIPHER_CTX_free(cipher); }

int floor_seal(void *cipher, const uint8_t nonce[NONCE], uint8_t *message, size_t count) {
    int written;
    return EVP_CipherInit_ex2(cipher, NULL, NULL, nonce, -1, NULL) == 1 &&
           EVP_CipherUpdate(cipher, message, &written, message, (int)count) == 1 &&
           EVP_CipherFinal_ex(cipher, message, &written) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG, message + count) == 1;
}

int floor_open(void *cipher, const uint8_t nonce[NONCE], uint8_t *message, size_t count) {
    int written;
    return EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG, message + count) == 1 &&
           EVP_CipherInit_ex2(cipher, NULL, NULL, nonce, -1, NULL) == 1 &&
           EVP_CipherUpdate(cipher, message, &written, message, (int)count) == 1 &&
           EVP_CipherFinal_ex(cipher, message, &written) == 1;
}

void *floor_code_new(const uint8_t key[32]) {
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", "SHA256", 0), OSSL_PARAM_END};
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac);
    if (context) EVP_MAC_init(context, key, 32, parameters);
    return context;
}

void floor_code_free(void *code) { EVP_MAC_CTX_free(code); }

int floor_code_matches(void *code, const uint8_t block[16], const uint8_t tag[4]) {
    uint8_t out[HASH];
    size_t count;
    return EVP_MAC_init(code, NULL, 0, NULL) == 1 && EVP_MAC_update(code, block, 16) == 1 &&
           EVP_MAC_final(code, out, &count, HASH) == 1 && CRYPTO_memcmp(out, tag, 4) == 0;
}
