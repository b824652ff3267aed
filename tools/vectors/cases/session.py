"""Layer session: whole sessions, from the QR code to the last frame."""

import json
from pathlib import Path

from reference import cbor, curve, digits, noise, secrets
from reference.curve import seeded

from . import session_channels, session_endings, session_linked, session_linking, session_refused
from .case import Layer

SOURCES = Path(__file__).resolve().parent.parent / "sources"
RULE = "0"


class Session:
    """One QR-initiated session with all its keys, played by the reference."""

    def __init__(self, label, domain=0, hint="ga", linking=False, channels=None):
        self.linking = linking
        self.static = curve.private_key(f"session/{label}/client")
        self.secret = seeded(f"session/{label}/secret", 16)
        contents = {0: curve.public(self.static, True), 1: self.secret, 2: 2, 3: 1795262400, 5: hint}
        contents |= {4: linking} if linking is not None else {}
        contents |= {6: channels} if channels else {}
        self.url = secrets.PREFIX + digits.encode(cbor.encode(contents))
        self.e1 = curve.private_key(f"session/{label}/initiator")
        self.e2 = curve.private_key(f"session/{label}/responder")
        self.domain, self.routing = domain, seeded(f"session/{label}/routing", 3)
        self.nonce = seeded(f"session/{label}/nonce", 10)
        self.plaintext = b"\x00" + self.nonce + self.routing + domain.to_bytes(2, "little")
        self.eid_key = secrets.eid_key(self.secret)
        self.advert = secrets.seal(self.eid_key, self.plaintext)
        self.psk = secrets.derive(self.secret, self.plaintext, secrets.PSK, 32)
        public = curve.public(self.static)
        self.message_1, state = noise.write_message_1("KNpsk0", self.psk, public, self.e1)
        self.message_2, self.keys = noise.answer("KNpsk0", self.psk, public, self.message_1, self.e2)
        assert noise.finish("KNpsk0", state, self.e1, self.static, self.message_2) == self.keys
        self.tunnel_id = secrets.derive(self.secret, b"", secrets.TUNNEL_ID, 16)
        self.sent = []

    def exchange(self, *steps, old=False):
        """``("client"|"authenticator", plaintext[, padded])``: seals each with the right key and counter."""
        counters = {"client": 0, "authenticator": 0}
        self.sent = []
        for sender, plaintext, *padded in steps:
            key = bytes.fromhex(
                self.keys["client_to_authenticator_key" if sender == "client" else "authenticator_to_client_key"]
            )
            frame = noise.seal_padded(key, counters[sender], padded[0] if padded else noise.pad(plaintext), old)
            counters[sender] += 1
            self.sent.append((sender, plaintext, frame))
        return self

    def with_payload(self):
        """Both handshake messages with a payload of one byte, which no peer may send."""
        public = curve.public(self.static)
        first, _ = noise.write_message_1("KNpsk0", self.psk, public, self.e1, b"\x00")
        return first, noise.answer("KNpsk0", self.psk, public, self.message_1, self.e2, b"\x00")[0]

    def frames(self, me):
        """What goes in (own plaintexts, foreign frames) and what must come out."""
        given = [{"sender": s, "plaintext": p} if s == me else {"sender": s, "frame": f} for s, p, f in self.sent]
        return given, [f if s == me else p for s, p, f in self.sent]

    def authenticator(self):
        given, results = self.frames("authenticator")
        return (
            {
                "url": self.url,
                "domain_id": self.domain,
                "routing_id": self.routing,
                "advert_nonce": self.nonce,
                "ephemeral_private": self.e2,
                "message_1": self.message_1,
                "frames": given,
            },
            {
                "tunnel_id": self.tunnel_id,
                "eid_key": self.eid_key,
                "advert": self.advert,
                "psk": self.psk,
                "message_2": self.message_2,
                "results": results,
            }
            | self.keys,
        )

    def client(self):
        given, results = self.frames("client")
        return (
            {
                "static_private": self.static,
                "secret": self.secret,
                "advert": self.advert,
                "ephemeral_private": self.e1,
                "message_2": self.message_2,
                "frames": given,
            },
            {
                "tunnel_id": self.tunnel_id,
                "eid_key": self.eid_key,
                "plaintext": self.plaintext,
                "psk": self.psk,
                "message_1": self.message_1,
                "results": results,
            }
            | self.keys,
        )


INFO = cbor.encode({1: ["FIDO_2_0"], 3: bytes(16), 4: {"rk": True, "uv": True}, 9: ["internal", "hybrid"]})
FIRST = cbor.encode({1: INFO})
REQUEST = b"\x01\x02" + cbor.encode({1: "example.com", 2: seeded("session/hash", 32), 5: {"uv": True}})
REPLY = b"\x01\x00" + cbor.encode({2: seeded("session/data", 37), 3: seeded("session/signature", 70)})
DECLINED, SHUTDOWN = b"\x01\x27", b"\x00"
UPDATE = b"\x02" + cbor.encode({0: bytes(200)})
DC_FIRST = cbor.encode({1: INFO, 3: ["ctap", "dc"]})
JSON_REQUEST = b"\x03" + b'{"origin":"https://example.com","request":{"digital":{}},"requestType":"credential.get"}'
JSON_REPLY = b"\x03" + b'{"response":{"digital":{"error":"USER_CANCELED"}}}'
C, A = "client", "authenticator"

SCRIPTS = {
    "sign-in": ("request, reply, shutdown", [(A, FIRST), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)]),
    "declined": ("the phone's answer is a status alone", [(A, FIRST), (C, REQUEST), (A, DECLINED), (C, SHUTDOWN)]),
    "shutdown-at-once": ("the client changes its mind", [(A, FIRST), (C, SHUTDOWN)]),
    "update-early": (
        "an update right after the first message",
        [(A, FIRST), (A, UPDATE), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)],
    ),
    "update-between": (
        "an update between request and reply",
        [(A, FIRST), (C, REQUEST), (A, UPDATE), (A, REPLY), (C, SHUTDOWN)],
    ),
    "update-late": (
        "an update after the client's shutdown",
        [(A, FIRST), (C, REQUEST), (A, REPLY), (C, SHUTDOWN), (A, UPDATE)],
    ),
    "two-requests": (
        "two requests, one after the other",
        [(A, FIRST), (C, REQUEST), (A, DECLINED), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)],
    ),
    "json": ("a JSON request and its answer", [(A, DC_FIRST), (C, JSON_REQUEST), (A, JSON_REPLY), (C, SHUTDOWN)]),
}


def build():
    layer = Layer("session", "session", "Whole sessions: recorded from Chromium, and our own, from both sides.")
    recorded(layer)
    for slug, (comment, steps) in SCRIPTS.items():
        both_sides(layer, slug, comment, Session(slug).exchange(*steps))
    shutdown = Session("phone-shutdown").exchange((A, FIRST), (C, REQUEST), (A, REPLY), (A, SHUTDOWN))
    given, expected = shutdown.client()
    layer.valid(
        "phone-shutdown-client",
        "the phone says shutdown, as webauthn-rs does; Chromium takes that for an error",
        "7.2",
        "session.client",
        given,
        expected,
        certainty="disputed",
        flags=["lenient", "foreign"],
    )
    for domain in (1, 266, 65535):
        session = Session(f"domain-{domain}", domain).exchange(*SCRIPTS["sign-in"][1])
        both_sides(layer, f"domain-{domain}", f"tunnel domain {domain}", session)
    split_padding(layer)
    session_endings.add(layer)
    session_refused.add(layer)
    session_channels.add(layer)
    session_linking.add(layer)
    session_linked.add(layer)
    return layer


def both_sides(layer, slug, comment, session, **more):
    if all(plaintext[:1] != UPDATE[:1] for _, plaintext, _ in session.sent[1:]):
        phone_side(layer, slug, comment, session, **more)
    given, expected = session.client()
    layer.valid(f"{slug}-client", f"{comment}; the client's side", RULE, "session.client", given, expected, **more)


def phone_side(layer, slug, comment, session, **more):
    given, expected = session.authenticator()
    comment = f"{comment}; the phone's side"
    layer.valid(f"{slug}-authenticator", comment, RULE, "session.authenticator", given, expected, **more)


def split_padding(layer):
    """A client that pads as libwebauthn does, and an update of 512 bytes as Chromium's phone sends."""
    outside = REQUEST[:1] + noise.pad(REQUEST[1:])
    session = Session("libwebauthn").exchange((A, FIRST), (C, REQUEST, outside), (A, REPLY))
    given, expected = session.authenticator()
    layer.valid(
        "type-outside-padding-authenticator",
        "the client pads before it puts the type byte in front",
        "6.1",
        "session.authenticator",
        given,
        expected,
        flags=["lenient", "foreign"],
    )


def recorded(layer):
    """The responder's side of sessions with a real Chromium, whose own private keys stay unknown."""
    for path in sorted(SOURCES.glob("chromium-*.json")):
        record = json.loads(path.read_text())
        frames, results = [], []
        for frame in record["frames"]:
            mine = frame["dir"] == "to_client"
            frames.append(
                {"sender": A, "plaintext": frame["plain"]} if mine else {"sender": C, "frame": frame["cipher"]}
            )
            results.append(frame["cipher"] if mine else frame["plain"])
        plaintext = record["eid_plaintext"]
        layer.valid(
            path.stem.replace("_", "-"),
            f"Chromium {record['chromium']} as the client, domain {record['tunnel_domain_id']}",
            RULE,
            "session.authenticator",
            {
                "url": record["qr_url"],
                "domain_id": record["tunnel_domain_id"],
                "routing_id": record["routing_id"],
                "advert_nonce": plaintext[2:22],
                "ephemeral_private": record["authenticator_ephemeral_private"],
                "message_1": record["client_handshake"],
                "frames": frames,
            },
            {
                "tunnel_id": record["tunnel_id"],
                "eid_key": record["eid_key"],
                "advert": record["advert"],
                "psk": record["psk"],
                "message_2": record["authenticator_handshake"],
                "handshake_hash": record["handshake_hash"],
                "client_to_authenticator_key": record["client_to_auth_key"],
                "authenticator_to_client_key": record["auth_to_client_key"],
                "results": results,
            },
            source=f"recorded for this project with Chromium {record['chromium']}; tools/vectors/sources/{path.name}",
            flags=["recorded"],
        )
