/* What the same work costs with libcrypto alone, called from C as a careful programmer would: algorithms fetched once,
 * the curve looked up once, contexts reused within a handshake or a direction, no error handling beyond a flag. */
#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>

/* Fetches the algorithms. 1 if all are there. */
int floor_prepare(void);

/* A key pair of P-256, made outside the measurement; point gets its 65 bytes. */
void *floor_key_new(uint8_t point[65]);
void floor_key_free(void *key);

/* The libcrypto calls of one side of KNpsk0, in their order, from the secret to two transport ciphers: drawing the
 * ephemeral key, importing the peer's, two agreements, 7 HKDFs, 7 hashes, one sealing, one opening (of whatever is there:
 * the floor does not care that the tag is wrong), two ciphers set up. 1 if every call went well. */
int floor_initiator(void *static_key, const uint8_t peer_point[65]);
int floor_responder(void *peer_static_key, const uint8_t peer_point[65]);

/* A point given by its x and a bit, imported and let go: what reading a QR code takes. */
int floor_import(const uint8_t compressed[33]);

/* An ECDSA signature with SHA-256, of 72 bytes at most, and its verification, with keys that are loaded. */
int floor_sign(void *key, const uint8_t *message, size_t count, uint8_t signature[72], size_t *signature_count);
int floor_verify(void *key, const uint8_t *message, size_t count, const uint8_t *signature, size_t signature_count);

/* One direction's cipher, and a message sealed or opened in place; the tag lies behind it. */
void *floor_cipher_new(const uint8_t key[32], int sealing);
void floor_cipher_free(void *cipher);
int floor_seal(void *cipher, const uint8_t nonce[12], uint8_t *message, size_t count);
int floor_open(void *cipher, const uint8_t nonce[12], uint8_t *message, size_t count);

/* HMAC-SHA-256 under one key: 1 if the first four bytes of the code are the tag. */
void *floor_code_new(const uint8_t key[32]);
void floor_code_free(void *code);
int floor_code_matches(void *code, const uint8_t block[16], const uint8_t tag[4]);

#endif
