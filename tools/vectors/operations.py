"""What a case can ask for: the operations with their inputs and outputs.

The README's table and the JSON schemas are made from these.
"""

# Operation: (layer, inputs, outputs, what it does). A name ending in ? may be left out.
CONTENTS = {
    "public_key": "hex",
    "secret": "hex",
    "known_domains": "integer",
    "timestamp": "integer|null",
    "linking": "boolean|null",
    "hint": "text",
    "channels": "integers",
}
PLAINTEXT = {"plaintext": "hex", "nonce": "hex", "routing_id": "hex", "domain_id": "integer", "domain": "text"}
KEYS = {"handshake_hash": "hex", "client_to_authenticator_key": "hex", "authenticator_to_client_key": "hex"}
FIRST = {"revision": "integer", "features": "texts", "get_info": "hex|null", "has_linking": "boolean"}

POINTS = {"private_key": "hex", "public_key": "hex"}
LINK = {"contact_id": "hex", "link_id": "hex", "link_secret": "hex", "public_key": "hex", "name": "text"}

OPERATIONS = {
    "digits.encode": ("qr-digits", {"bytes": "hex"}, {"digits": "text"}, "bytes to decimal digits"),
    "digits.decode": ("qr-digits", {"digits": "text"}, {"bytes": "hex"}, "decimal digits to bytes"),
    "invitation.parse": ("qr-contents", {"url": "text"}, CONTENTS, "read a whole `FIDO:/` text"),
    "invitation.decode": ("qr-contents", {"cbor": "hex"}, CONTENTS, "read the map that the digits hold"),
    "invitation.encode": (
        "qr-contents",
        CONTENTS,
        {"cbor": "hex", "url": "text"},
        "write the map and the text; `linking` null leaves key 4 out, `channels` [0] leaves key 6 out",
    ),
    "domain.name": ("tunnel-domain", {"id": "integer"}, {"domain": "text"}, "host name of a tunnel domain number"),
    "tunnel.new-url": (
        "tunnel-domain",
        {"domain_id": "integer", "tunnel_id": "hex"},
        {"url": "text"},
        "where a phone opens its tunnel; the hexadecimal digits of a URL mean the same in either case",
    ),
    "tunnel.connect-url": (
        "tunnel-domain",
        {"domain_id": "integer", "routing_id": "hex", "tunnel_id": "hex"},
        {"url": "text"},
        "where a client joins it; digits in either case",
    ),
    "tunnel.contact-url": (
        "tunnel-domain",
        {"domain_id": "integer", "contact_id": "hex"},
        {"url": "text"},
        "where a linked client asks for its phone",
    ),
    "contact-id.parse": (
        "tunnel-domain",
        {"text": "text"},
        {"contact_id": "hex"},
        "read the contact ID in a URL: base64url without padding, 1 to 4096 bytes",
    ),
    "contact-request.encode": (
        "tunnel-domain",
        {"link_id": "hex", "nonce": "hex", "hint": "text"},
        {"payload": "hex", "header": "text"},
        "write the client payload, and the header with it",
    ),
    "contact-request.parse": (
        "tunnel-domain",
        {"header": "text"},
        {"link_id": "hex", "nonce": "hex", "hint": "text"},
        "read the header with the client payload",
    ),
    "routing-id.parse": (
        "tunnel-domain",
        {"text": "text"},
        {"routing_id": "hex"},
        "read the header in which the tunnel service tells the phone the routing ID",
    ),
    "key.derive": (
        "key-schedule",
        {"secret": "hex", "salt": "hex", "purpose": "integer", "length": "integer"},
        {"output": "hex"},
        "HKDF-SHA-256 with the purpose as info",
    ),
    "key.expand-p256": (
        "key-schedule",
        {"seed": "hex", "info": "text"},
        POINTS,
        "a P-256 key from a seed: HKDF-SHA-256 without salt to 48 bytes, modulo the order",
    ),
    "root.identity-key": (
        "key-schedule",
        {"root_secret": "hex"},
        {"seed": "hex"} | POINTS,
        "the phone's static key: purpose 5, expanded under the info `derive EC key P-256`",
    ),
    "root.link-secret": (
        "key-schedule",
        {"root_secret": "hex", "contact_id": "hex", "link_id": "hex"},
        {"contact_secret": "hex", "link_secret": "hex"},
        "the secret of one link: purpose 6 of the contact ID, then purpose 4 of the link ID",
    ),
    "root.contact-key": (
        "key-schedule",
        {"root_secret": "hex"},
        POINTS,
        "the key by which this project's phone registers at its tunnel service; nobody else needs it",
    ),
    "advert.seal": ("advert", {"eid_key": "hex", "plaintext": "hex"}, {"advert": "hex"}, "seal 16 bytes into 20"),
    "advert.open": (
        "advert",
        {"eid_key": "hex", "advert": "hex"},
        PLAINTEXT | {"psm": "integer|null"},
        "open a QR-initiated advert, with or without suffix; `psm` is null where no BLE channel is offered",
    ),
    "advert.open-linked": (
        "advert",
        {"eid_key": "hex", "advert": "hex"},
        {"plaintext": "hex"},
        "open a state-assisted advert: no routing ID or domain in it",
    ),
    "advert.linked-plaintext": (
        "advert",
        {"random": "hex"},
        {"plaintext": "hex"},
        "16 bytes from 15 random ones; where the last two read 2 to 255 the last becomes 1",
    ),
    "advert.parse": ("advert", {"plaintext": "hex"}, PLAINTEXT, "read the 16 bytes of a QR-initiated advert"),
    "advert.suffix": (
        "advert",
        {"suffix": "hex"},
        {"psm": "integer|null"},
        "read the bytes after the 20; a bad suffix is ignored, so this never fails",
    ),
    "cbor.canonical": ("cbor", {"cbor": "hex"}, {"cbor": "hex"}, "strict decoding, then encoding again"),
    "noise.handshake": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_private": "hex",
            "initiator_ephemeral_private": "hex",
            "responder_ephemeral_private": "hex",
        },
        {"message_1": "hex", "message_2": "hex"} | KEYS,
        "both sides; `static_private` is the client's for KNpsk0, the phone's for NKpsk0",
    ),
    "noise.respond": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_public?": "hex",
            "static_private?": "hex",
            "ephemeral_private": "hex",
            "message_1": "hex",
        },
        {"message_2": "hex"} | KEYS,
        "the phone reads message 1 and answers",
    ),
    "noise.finish": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_public?": "hex",
            "static_private?": "hex",
            "ephemeral_private": "hex",
            "message_2": "hex",
        },
        KEYS,
        "the client writes message 1 (again, from its ephemeral key) and reads message 2",
    ),
    "transport.pad": ("transport", {"message": "hex"}, {"padded": "hex"}, "pad a message to a multiple of 32"),
    "transport.unpad": ("transport", {"padded": "hex"}, {"message": "hex"}, "take the padding off"),
    "transport.seal": (
        "transport",
        {"key": "hex", "counter": "integer", "message": "hex"},
        {"frame": "hex"},
        "pad and seal one message at a given counter",
    ),
    "transport.open": (
        "transport",
        {"key": "hex", "counter": "integer", "frame": "hex"},
        {"message": "hex"},
        "open one frame at a given counter",
    ),
    "transport.sequence": (
        "transport",
        {"key": "hex", "frames": "hexes"},
        {"messages": "hexes"},
        "open frames in turn from counter 0; in an invalid case all but the last open, and the last is refused",
    ),
    "transport.seal-old": (
        "transport",
        {"key": "hex", "counter": "integer", "message": "hex"},
        {"frame": "hex"},
        "pad and seal one message in the old construction",
    ),
    "transport.open-old": (
        "transport",
        {"key": "hex", "counter": "integer", "frame": "hex"},
        {"message": "hex"},
        "open one frame of the old construction (additional data 02, counter first, little-endian)",
    ),
    "message.decode": (
        "message",
        {"plaintext": "hex"},
        {"type": "text", "payload": "hex"},
        "read the type byte and the payload",
    ),
    "first-message.parse": (
        "message",
        {"plaintext": "hex"},
        FIRST,
        "read the phone's first message, of either revision",
    ),
    "first-message.encode": (
        "message",
        {"get_info": "hex|null", "features": "texts"},
        {"plaintext": "hex"},
        "write a revision 1 first message; features [ctap] alone leaves key 3 out",
    ),
    "revision-0.unpad": (
        "message",
        {"plaintext": "hex"},
        {"cbor": "hex"},
        "take the padding of a revision 0 first message off",
    ),
    "update.parse": ("message", {"payload": "hex"}, {"has_linking": "boolean"}, "read an update's payload"),
    "update.encode": (
        "message",
        {"linking": "hex|null"},
        {"plaintext": "hex"},
        "write an update with a given linking map or none, filled up to 512 bytes with its type byte",
    ),
    "linking.encode": (
        "linking",
        {
            "contact_id": "hex",
            "link_id": "hex",
            "link_secret": "hex",
            "identity_private": "hex",
            "name": "text",
            "client_public": "hex",
            "handshake_hash": "hex",
        },
        {"signature": "hex", "map": "hex", "update": "hex"},
        "sign a linking map for one session, and write the update with it",
    ),
    "linking.verify": (
        "linking",
        {"map": "hex", "static_private": "hex", "handshake_hash": "hex"},
        LINK,
        "read a linking map with the private half of the QR code's key, and verify it",
    ),
    "session.authenticator": (
        "session",
        {
            "url": "text",
            "domain_id": "integer",
            "routing_id": "hex",
            "advert_nonce": "hex",
            "ephemeral_private": "hex",
            "message_1": "hex",
            "root_secret?": "hex",
            "contact_id?": "hex",
            "link_id?": "hex",
            "name?": "text",
            "frames": "frames",
        },
        {"tunnel_id": "hex", "eid_key": "hex", "advert": "hex", "psk": "hex", "message_2": "hex"}
        | KEYS
        | {"results": "hexes"},
        (
            "the phone's side of a whole session, byte for byte; in an invalid case everything up to the last "
            "frame (or message 1, if there is none) holds and that is refused; with `root_secret` and the inputs after it, "
            "an update with linking data offers this link"
        ),
    ),
    "session.client": (
        "session",
        {
            "static_private": "hex",
            "secret": "hex",
            "advert": "hex",
            "ephemeral_private": "hex",
            "message_2": "hex",
            "linking?": "boolean|null",
            "frames": "frames",
        },
        {"tunnel_id": "hex", "eid_key": "hex", "plaintext": "hex", "psk": "hex", "message_1": "hex"}
        | KEYS
        | {"linking?": "texts", "link?": "link", "results": "hexes"},
        (
            "the client's side of a whole session, likewise; `linking` in the input is key 4 of its QR code, in the output "
            "the outcome of the linking data of the first message and of each update: `none`, `verified`, or the kind of "
            "failure for which it is dropped while the session goes on"
        ),
    ),
    "session.linked-authenticator": (
        "session",
        {
            "root_secret": "hex",
            "contact_id": "hex",
            "payload": "hex",
            "advert_random": "hex",
            "ephemeral_private": "hex",
            "message_1": "hex",
            "frames": "frames",
        },
        {
            "link_secret": "hex",
            "identity_private": "hex",
            "eid_key": "hex",
            "plaintext": "hex",
            "advert": "hex",
            "psk": "hex",
            "message_2": "hex",
        }
        | KEYS
        | {"results": "hexes"},
        "the phone's side of a whole state-assisted session, from the client payload on",
    ),
    "session.linked-client": (
        "session",
        {
            "link_id": "hex",
            "link_secret": "hex",
            "authenticator_public": "hex",
            "nonce": "hex",
            "hint": "text",
            "advert": "hex",
            "ephemeral_private": "hex",
            "message_2": "hex",
            "linking?": "boolean",
            "frames": "frames",
        },
        {"payload": "hex", "eid_key": "hex", "plaintext": "hex", "psk": "hex", "message_1": "hex"}
        | KEYS
        | {"linking?": "texts", "results": "hexes"},
        "the client's side of it; `linking` is false where it is there",
    ),
    "l2cap.split": (
        "l2cap",
        {"buffer": "hex"},
        {"messages": "hexes", "rest": "hex"},
        "cut a byte stream at 0D 0A as libwebauthn does",
    ),
    "l2cap.receive": (
        "l2cap",
        {"key": "hex", "handshake_messages": "integer", "pieces": "hexes"},
        {"messages": "hexes", "rest": "hex"},
        "find messages in SDUs: first so many handshake messages of 81 bytes, then frames from counter 0, which end where they "
        "open: at the end of a piece or before 0D 0A. A lone 0D 0A is no rest",
    ),
    "hand-over.parse": (
        "hand-over",
        {"url": "text"},
        {
            "public_key": "hex",
            "secret": "hex",
            "known_domains": "integer",
            "timestamp": "integer|null",
            "channels": "integers",
            "session_secret": "hex",
            "tunnel_id": "hex",
            "eid_key": "hex",
        },
        "read a whole `HYBRID-HANDOVER:/` text, and derive the session secret and the values that come from it",
    ),
    "hand-over.code": (
        "hand-over",
        {"handshake_hash": "hex", "receiver_nonce": "hex", "sender_nonce": "hex", "typed_nonce": "hex"},
        {"commitment": "hex", "code": "text", "typed_commitment": "hex"},
        "the receiver's commitment, the six digits, and the sender's commitment to them",
    ),
    "hand-over.identity": (
        "hand-over",
        {"private_key": "hex", "handshake_hash": "hex"},
        {"public_key": "hex", "receiver_id": "hex", "signature": "hex"},
        "the receiver's key of an Ed25519 seed, its number, and its signature of a session",
    ),
    "hand-over.digest": ("hand-over", {"credential_id": "hex"}, {"digest": "hex"}, "the name of a passkey in transit"),
    "hand-over.decode": (
        "hand-over",
        {"plaintext": "hex"},
        {"type": "text", "plaintext": "hex"},
        "read a message, and write it again",
    ),
    "hand-over.session": (
        "hand-over",
        {
            "static_private": "hex",
            "secret": "hex",
            "advert_plaintext": "hex",
            "initiator_ephemeral_private": "hex",
            "responder_ephemeral_private": "hex",
            "messages": "hexes",
        },
        {"message_1": "hex", "message_2": "hex", "handshake_hash": "hex", "frames": "hexes", "code": "text|null"},
        (
            "both ends of a hand-over: each message is sealed by the end that its type belongs to, type 12 by the sender, "
            "and opened by the other; in an invalid case the last one is refused"
        ),
    ),
    "ctaphid.fragment": (
        "ctaphid",
        {"channel": "integer", "command": "integer", "payload": "hex"},
        {"reports": "hexes"},
        "cut a message into reports; the command is without bit 7",
    ),
    "ctaphid.exchange": (
        "ctaphid",
        {"channel": "integer", "command": "integer", "payload": "hex", "reports": "hexes"},
        {"keep_alives": "integers", "response": "hex|null", "error": "integer|null"},
        "the host's side of a message: its results from the reports that it hears; `response` and `error` are null while there "
        "is no answer",
    ),
    "ctaphid.initialization": (
        "ctaphid",
        {"payload": "hex"},
        {
            "nonce": "hex",
            "channel": "integer",
            "protocol_version": "integer",
            "device_version": "hex",
            "capabilities": "integer",
        },
        "read the answer to CTAPHID_INIT",
    ),
    "ctaphid.descriptor": (
        "ctaphid",
        {"descriptor": "hex"},
        {"is_security_key": "boolean", "input_bytes": "integer|null", "output_bytes": "integer|null"},
        "look for a security key in a HID report descriptor; one that cannot be read has none, so this never fails",
    ),
    "ctaphid.device": (
        "ctaphid",
        {"can_wink": "boolean", "device_version": "hex", "max_waiting?": "integer", "steps": "steps"},
        {"results": "results"},
        "the device's side of a conversation, step by step: times are milliseconds; `request` counts the requests that are processed "
        "from 1; `max_waiting` requests of other channels may wait, none if it is not there (HT-HID-36); the next packet of a message "
        "may take 500 ms, a keep-alive comes after 100 ms, channels are allocated in turn from 1",
    ),
}

# The layers of the field's vectors, and those of each protocol of this project's own, by the folder below Vectors.
FIELD, PASSKEY_EXCHANGE = "", "passkey-exchange"
LAYERS = {
    FIELD: (
        "qr-digits",
        "qr-contents",
        "tunnel-domain",
        "key-schedule",
        "advert",
        "cbor",
        "noise",
        "transport",
        "message",
        "linking",
        "session",
        "l2cap",
        "ctaphid",
    ),
    PASSKEY_EXCHANGE: ("hand-over",),
}
