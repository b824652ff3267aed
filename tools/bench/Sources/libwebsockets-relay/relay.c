/* A relay between two WebSockets over libwebsockets, for a comparison: one thread, no limits.
 *
 *   libwebsockets-relay poll|libev                       plain; the event loop is libwebsockets' own, or libev
 *   libwebsockets-relay poll|libev CERTIFICATE KEY       TLS; both files are PEM
 *
 * It listens on 127.0.0.1, on a port of the system's choice, which it prints in a line, and ends when standard input
 * ends. It joins two connections whose paths end alike, and relays their binary messages; the close of one closes the
 * other. As libwebsockets demands, it writes in the callback for a writable socket alone. (Not on libuv, where
 * libwebsockets 4.1.6 ends a connection without the Close: it closes each a second time, as a test of itself.) */
#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 40, PATH = 128 };

/* A part of a message that is still to be sent, with the room in front that lws_write needs. */
struct part {
    struct part *next;
    enum lws_write_protocol flags;
    size_t count;
    unsigned char bytes[];
};

/* One end of a tunnel: libwebsockets allocates it with its connection, filled with zeros. */
struct end {
    struct lws *connection;
    struct end *peer, *next_waiting;
    struct part *first, **last;
    int is_closing;
    char name[NAME];
};

static struct end *waiting;

static void stop_waiting(struct end *end) {
    struct end **place = &waiting;
    while (*place && *place != end) place = &(*place)->next_waiting;
    if (*place) *place = end->next_waiting;
}

/* Joins a new end with the one that waits under its name; without one it waits. */
static int begin(struct end *end, struct lws *connection) {
    char path[PATH];
    if (lws_hdr_copy(connection, path, sizeof path, WSI_TOKEN_GET_URI) <= 0) return -1;
    const char *slash = strrchr(path, '/');
    lws_strncpy(end->name, slash ? slash + 1 : path, sizeof end->name);
    end->connection = connection;
    end->last = &end->first;
    struct end *other = waiting;
    while (other && strcmp(other->name, end->name) != 0) other = other->next_waiting;
    if (other) {
        stop_waiting(other);
        end->peer = other;
        other->peer = end;
    } else {
        end->next_waiting = waiting;
        waiting = end;
    }
    return 0;
}

/* Queues a received part for the other end; a message that is longer than libwebsockets' buffer has several. */
static int pass_on(struct end *end, const void *bytes, size_t count) {
    struct end *peer = end->peer;
    if (!peer) return -1;
    struct part *part = malloc(sizeof *part + LWS_PRE + count);
    if (!part) return -1;
    part->next = NULL;
    part->flags = lws_write_ws_flags(LWS_WRITE_BINARY, lws_is_first_fragment(end->connection),
                                     lws_is_final_fragment(end->connection));
    part->count = count;
    memcpy(part->bytes + LWS_PRE, bytes, count);
    *peer->last = part;
    peer->last = &part->next;
    return lws_callback_on_writable(peer->connection) < 0 ? -1 : 0;
}

/* Removes the first part of the queue. */
static void drop_first(struct end *end) {
    struct part *part = end->first;
    end->first = part->next;
    if (!end->first) end->last = &end->first;
    free(part);
}

/* Sends one part; after the last one of a tunnel that is closing, the Close. -1 ends the connection. */
static int send_next(struct end *end) {
    struct part *part = end->first;
    if (part) {
        int written = lws_write(end->connection, part->bytes + LWS_PRE, part->count, part->flags);
        int ok = written >= (int)part->count;
        drop_first(end);
        if (!ok) return -1;
        if (end->first || end->is_closing) lws_callback_on_writable(end->connection);
        return 0;
    }
    if (!end->is_closing) return 0;
    /* The socket is still reported as writable until the peer's Close comes; -1 then would end it at once. */
    end->is_closing = 0;
    lws_close_reason(end->connection, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
    return -1;
}

/* Separates an end from its peer, which is then closed. */
static void leave(struct end *end) {
    struct end *peer = end->peer;
    if (!peer) return;
    end->peer = peer->peer = NULL;
    peer->is_closing = 1;
    lws_callback_on_writable(peer->connection);
}

static int handle(struct lws *connection, enum lws_callback_reasons reason, void *user, void *in, size_t count) {
    struct end *end = user;
    char byte;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        /* libwebsockets allows P-256 alone, for which a client that has sent a share of X25519 has to try again. */
        return SSL_CTX_set1_groups_list((SSL_CTX *)user, "X25519:P-256") == 1 ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED: return begin(end, connection);
    case LWS_CALLBACK_RECEIVE: return pass_on(end, in, count);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(end);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: leave(end); return 0;
    case LWS_CALLBACK_CLOSED:
        leave(end);
        stop_waiting(end);
        while (end->first) drop_first(end);
        return 0;
    case LWS_CALLBACK_RAW_RX_FILE:
        if (read(STDIN_FILENO, &byte, 1) > 0) return 0;
        exit(0);
    case LWS_CALLBACK_RAW_CLOSE_FILE: exit(0);
    default: return lws_callback_http_dummy(connection, reason, user, in, count);
    }
}

int main(int count, char **arguments) {
    static const struct lws_protocols protocols[] = {
        {.name = "fido.cable", .callback = handle, .per_session_data_size = sizeof(struct end)},
        {.name = NULL},
    };
    struct lws_context_creation_info info = {.iface = "127.0.0.1", .port = 0, .protocols = protocols};
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6;
    lws_set_log_level(LLL_ERR, NULL);
    if (count != 2 && count != 4) return 64;
    if (strcmp(arguments[1], "libev") == 0) info.options |= LWS_SERVER_OPTION_LIBEV;
    if (count == 4) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = arguments[2];
        info.ssl_private_key_filepath = arguments[3];
        /* The cipher that bare NIO chooses too. */
        info.tls1_3_plus_cipher_list = "TLS_AES_128_GCM_SHA256";
    }
    struct lws_context *context = lws_create_context(&info);
    struct lws_vhost *host = context ? lws_create_vhost(context, &info) : NULL;
    lws_sock_file_fd_type input = {.filefd = STDIN_FILENO};
    if (!host || !lws_adopt_descriptor_vhost(host, LWS_ADOPT_RAW_FILE_DESC, input, protocols[0].name, NULL)) return 1;
    printf("%d\n", lws_get_vhost_listen_port(host));
    fflush(stdout);
    while (lws_service(context, 0) >= 0) continue;
    return 1;
}
