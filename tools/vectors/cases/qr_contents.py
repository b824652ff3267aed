"""Layer qr-contents: PROTOCOL.md 1.1 and 1.3. Refusals are in qr_contents_refused.py."""

from reference import cbor, curve, digits, secrets
from reference.curve import seeded

from . import qr_contents_refused
from .case import Layer

KEY = curve.public(curve.private_key("invitation"), compressed=True)
SECRET = seeded("invitation/secret", 16)
TIME = 1795262400
FULL = {0: KEY, 1: SECRET, 2: 2, 3: TIME, 4: False, 5: "ga"}


def build():
    layer = Layer("qr-contents", "contents", "The text of the QR code and the CBOR map in it.")
    accepted(layer)
    hints(layer)
    channels(layer)
    texts(layer)
    encoding(layer)
    qr_contents_refused.add(layer, FULL)
    return layer


def decode(layer, slug, comment, mapping, rule="1.3", **more):
    data = mapping if isinstance(mapping, bytes) else cbor.encode(mapping)
    layer.valid(slug, comment, rule, "invitation.decode", {"cbor": data}, secrets.parse_contents(data), **more)


def accepted(layer):
    decode(layer, "all-keys", "keys 0 to 5, as Chromium writes them", FULL)
    decode(layer, "all-keys-and-channels", "keys 0 to 6", FULL | {6: [0, 1]})
    decode(layer, "required-keys-only", "keys 0 and 1; everything else has a default", {0: KEY, 1: SECRET})
    other = next(p for p in (curve.public(curve.private_key(f"odd/{i}"), True) for i in range(64)) if p[0] != KEY[0])
    decode(layer, f"point-prefix-0{KEY[0]}", f"a compressed point that begins with 0{KEY[0]}", FULL)
    decode(layer, f"point-prefix-0{other[0]}", f"a compressed point that begins with 0{other[0]}", FULL | {0: other})
    for value in (0, 1, 2, 23, 24, 255, 256, 65535, 65536, 2**32 - 1):
        decode(
            layer,
            f"known-domains-{value}",
            f"the client says that it knows {value} assigned domains",
            FULL | {2: value},
        )
    for slug, value in (("zero", 0), ("32-bit", 2**32 - 1), ("after-2038", 2**31), ("after-2106", 2**32)):
        decode(layer, f"time-{slug}", f"Unix time {value}: nobody checks it", FULL | {3: value}, flags=["boundary"])
    without = dict(FULL)
    del without[3]
    decode(layer, "time-absent", "no time", without)
    for slug, value in (("text", "now"), ("negative", -1), ("bytes", b"\x00"), ("bool", True)):
        decode(
            layer,
            f"time-{slug}",
            f"the time is a {slug}: no implementation looks",
            FULL | {3: value},
            flags=["lenient"],
            certainty="implied",
        )
    decode(layer, "linking-true", "key 4 true: state-assisted transactions offered", FULL | {4: True})
    without = dict(FULL)
    del without[4]
    decode(layer, "linking-absent", "key 4 absent is not the same as false (section 7.5)", without)
    decode(layer, "all-zero-secret", "a secret of zeros is a secret", FULL | {1: bytes(16)})
    unknown = (
        (7, 1),
        (23, "x"),
        (24, b"x"),
        (255, []),
        (1000, 42),
        (65535, 0),
        (-1, True),
        ("extra", {1: 2}),
        (b"\x00", None),
    )
    for key, value in unknown:
        name = f"{'minus-1' if key == -1 else key if isinstance(key, int) else type(key).__name__}"
        decode(layer, f"unknown-key-{name}", f"an unknown key ({key!r}) is ignored", FULL | {key: value})
    decode(layer, "unknown-keys-several", "several unknown keys", FULL | {7: 0, 8: 1, 0xFFFF: 0, "a": "b"})


def hints(layer):
    for hint in ("ga", "mc", "dcp", "dci"):
        decode(layer, f"hint-{hint}", f"hint {hint}", FULL | {5: hint})
    without = dict(FULL)
    del without[5]
    decode(layer, "hint-absent", "no hint reads as ga", without)
    for slug, hint in (("unknown", "xx"), ("empty", ""), ("upper-case", "MC"), ("longer", "mcx"), ("long", "x" * 40)):
        decode(layer, f"hint-{slug}", f"an unknown hint ({slug}) reads as ga", FULL | {5: hint})


def channels(layer):
    for slug, value, comment in (
        ("websocket", [0], "WebSocket only"),
        ("both", [0, 1], "WebSocket and BLE"),
        ("ble", [1], "BLE only, without the fallback that should be there"),
        ("unordered", [1, 0], "the order has no meaning"),
    ):
        decode(layer, f"channels-{slug}", comment, FULL | {6: value}, certainty="second-hand")
    for slug, value, comment in (
        ("unknown-skipped", [0, 7], "an unknown channel is skipped"),
        ("unknown-first", [2, 1, 0], "an unknown channel before the known ones"),
        ("unknown-large", [0, 2**32], "an unknown channel of a large number"),
        ("repeated", [0, 0], "a channel twice is that channel"),
    ):
        decode(layer, f"channels-{slug}", comment, FULL | {6: value}, certainty="implied", flags=["lenient"])
    for value in (True, False):
        decode(
            layer,
            f"channels-bool-{str(value).lower()}",
            "key 6 was once a bool of another meaning: it reads as absent",
            FULL | {6: value},
            flags=["lenient", "foreign"],
        )


def texts(layer):
    url = secrets.PREFIX + digits.encode(cbor.encode(FULL))
    fields = secrets.parse_url(url)
    layer.valid("url", "the prefix and the digits", "1.1", "invitation.parse", {"url": url}, fields)
    layer.valid(
        "url-with-channels",
        "the same with key 6",
        "1.1",
        "invitation.parse",
        {"url": secrets.PREFIX + digits.encode(cbor.encode(FULL | {6: [0, 1]}))},
        fields | {"channels": [0, 1]},
    )
    for slug, prefix in (("lower-case", "fido:/"), ("mixed-case", "Fido:/")):
        layer.valid(
            f"url-{slug}",
            "a prefix in another case: Chromium takes it, Firefox does not",
            "1.1",
            "invitation.parse",
            {"url": prefix + url[6:]},
            fields,
            certainty="disputed",
            flags=["lenient"],
        )
    good = url[6:]
    for slug, text, comment in (
        ("empty", "", "nothing"),
        ("other-scheme", "https://example.com/", "another scheme"),
        ("no-slash", "FIDO:" + good, "no slash"),
        ("no-prefix", good, "the digits alone"),
        ("leading-space", " " + url, "a space in front"),
        ("similar", "FIDO2:/" + good, "a similar prefix"),
        ("full-width-colon", "FIDO：/" + good, "a full-width colon"),
        ("dotless-i", "fıdo:/" + good, "a letter that upper-cases to I"),
        ("prefix-cut", "FIDO:", "the text ends inside the prefix"),
    ):
        layer.invalid(f"url-{slug}", comment, "1.1", "invitation.parse", {"url": text}, "not-fido-url")
    layer.invalid(
        "url-two-slashes",
        "FIDO:// : the second slash is a non-digit",
        "1.1",
        "invitation.parse",
        {"url": "FIDO://" + good},
        "non-digit",
    )
    layer.invalid(
        "url-trailing-newline",
        "a line feed behind the digits",
        "1.1",
        "invitation.parse",
        {"url": url + "\n"},
        "non-digit",
    )
    layer.invalid(
        "url-query", "a query behind the digits", "1.1", "invitation.parse", {"url": url + "?a=1"}, "non-digit"
    )
    layer.invalid(
        "url-one-digit-short", "the last digit is missing", "1.2", "invitation.parse", {"url": url[:-1]}, "digit-count"
    )
    layer.invalid(
        "url-one-digit-long", "one digit too many", "1.2", "invitation.parse", {"url": url + "0"}, "digit-count"
    )
    layer.invalid(
        "url-range",
        "a group of digits too large for its bytes",
        "1.2",
        "invitation.parse",
        {"url": "FIDO:/" + "9" * 17 + good[17:]},
        "digit-range",
    )
    layer.invalid(
        "url-no-digits",
        "the prefix alone: there is no CBOR in no bytes",
        "1.3",
        "invitation.parse",
        {"url": "FIDO:/"},
        "invalid-cbor",
    )


def encoding(layer):
    base = {
        "public_key": KEY.hex(),
        "secret": SECRET.hex(),
        "known_domains": 2,
        "timestamp": TIME,
        "linking": False,
        "hint": "ga",
        "channels": [0],
    }
    for slug, change, mapping in (
        ("plain", {}, {}),
        ("make-credential", {"hint": "mc"}, {5: "mc"}),
        ("digital-presentation", {"hint": "dcp"}, {5: "dcp"}),
        ("digital-issuance", {"hint": "dci"}, {5: "dci"}),
        ("linking", {"linking": True}, {4: True}),
        ("channels", {"channels": [0, 1]}, {6: [0, 1]}),
        ("no-domains", {"known_domains": 0}, {2: 0}),
        ("zero-time", {"timestamp": 0}, {3: 0}),
    ):
        data = cbor.encode(FULL | mapping)
        layer.valid(
            f"encode-{slug}",
            f"written in canonical form: {slug}",
            "1.3",
            "invitation.encode",
            base | change,
            {"cbor": data, "url": secrets.PREFIX + digits.encode(data)},
        )
