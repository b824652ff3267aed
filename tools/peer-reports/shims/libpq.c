/* Shim of libpq's client in joelonsql/postgresql, branch sasl-passkey-qr-only: its fe-auth-cable.c, and -cbor, -eid and
 * -noise, as they are. This stands for its tunnel, radio and QR code, and makes a passkey. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libpq/cable.h"
#define DIGIT(c) ((c) <= '9' ? (c) - '0' : (c) - 'a' + 10)

static uint8_t eid_key[64], bytes[1200000];
static char line[2400000];

static int next(const char *type)	/* whether that comes, before the end of the tunnel */ {
	do
		if (!fgets(line, sizeof(line), stdin)) exit(0);
	while (!strstr(line, type) && !strstr(line, "\"closed\"") && !strstr(line, "\"refused\""));
	return strstr(line, type) != NULL;
}
static size_t data(void) {
	size_t		n = 0;
	for (char *digit = strstr(line, "\"data\":\"") + 8; *digit != '"'; digit += 2)
		bytes[n++] = DIGIT(digit[0]) << 4 | DIGIT(digit[1]);
	return n;
}
static void hex(const char *before, const uint8_t *from, size_t len, const char *after) {
	for (fputs(before, stdout); len--; printf("%02x", *from++));
	fputs(after, stdout);
}
void *QRcode_encodeString(const char *text, ...) { printf("{\"type\":\"qr\",\"text\":\"%s\"}\n", text); return NULL; }
void QRcode_free(void *code) {}
int cable_ble_start_scan(const uint8_t *key, size_t len) { memcpy(eid_key, key, len); return 0; }
void cable_ble_stop_scan(void) {}
int cable_ble_wait_for_advert(uint8_t *routing_id, uint16_t *domain, uint8_t *plaintext, int seconds) {
	while (next("\"advert\""))
		if (data() == 20 && cable_eid_decrypt(bytes, eid_key, routing_id, domain, plaintext) == 0)
			return 0;
	return -1;
}
CableTunnel *cable_tunnel_new(void) { return calloc(1, sizeof(CableTunnel)); }
void cable_tunnel_free(CableTunnel *tunnel) { free(tunnel); }
const char *cable_tunnel_error(CableTunnel *tunnel) { return "the tunnel has ended"; }
int cable_tunnel_connect(CableTunnel *tunnel, const char *server, const uint8_t *tunnel_id, const uint8_t *routing_id) {
	printf("{\"type\":\"open\",\"url\":\"wss://%s/cable/connect/", server), hex("", routing_id, 3, "/"), hex("", tunnel_id, 16, "\"}\n");
	return next("\"opened\"") ? 0 : -1;
}
int cable_tunnel_send(CableTunnel *tunnel, const uint8_t *from, size_t len) { return hex("{\"type\":\"message\",\"data\":\"", from, len, "\"}\n"), 0; }
int cable_tunnel_recv(CableTunnel *tunnel, uint8_t **message, size_t *len, int timeout) {
	if (!next("\"message\""))
		return -1;
	*len = data();
	*message = memcpy(malloc(*len + 1), bytes, *len);
	return 0;
}
int main(void) {
	setvbuf(stdout, NULL, _IOLBF, 0), setenv("PGPASSKEY_BLE", "1", 1);
	puts("{\"type\":\"hello\",\"shim\":1,\"name\":\"libpq\",\"roles\":[\"client\"],\"features\":[\"ctap\"]}");
	uint8_t *user = (uint8_t *) "user";
	next("\"start\"");
	PasskeyAttestation *made = cable_make_credential("example.com", "Example", user, 4, "user", "User", user, 4);
	printf("{\"type\":\"end\",\"ok\":%s,\"reason\":\"%s\"}\n", made->error_message ? "false" : "true", made->error_message ? made->error_message : "");
}
