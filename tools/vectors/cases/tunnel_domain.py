"""Layer tunnel-domain: PROTOCOL.md 2 and the URLs of 5.1."""

from reference import digits
from reference.curve import seeded

from . import contact
from .case import Layer

RULE = "2"
PLAIN_LABEL = 13


def build():
    layer = Layer("tunnel-domain", "domain", "The 16-bit tunnel domain number, its host name, and the URLs on it.")
    for number in (0, 1):
        name(layer, number, "an assigned domain")
    for number in (2, 3, 4, 7, 16, 31, 64, 100, 127, 128, 200, 254, 255):
        flags = ["boundary"] if number in (2, 255) else []
        layer.invalid(
            f"unassigned-{number}",
            f"{number} is assigned to nobody known",
            RULE,
            "domain.name",
            {"id": number},
            "unassigned-domain",
            flags=flags,
        )
    hashed(layer)
    urls(layer)
    routing_ids(layer)
    contact.add(layer)
    return layer


def name(layer, number, comment, **more):
    layer.valid(
        f"name-{number}", comment, RULE, "domain.name", {"id": number}, {"domain": digits.domain(number)}, **more
    )


def hashed(layer):
    chosen = {
        256: "the first hashed number",
        257: "hashed",
        261: "0x0105, whose bytes differ",
        266: "hashed",
        63872: "0xf980",
        65534: "hashed",
        65535: "the last number",
        0x0501: "0x0105 with its bytes exchanged",
        0x8000: "the sign bit of 16 bits",
        0x7FFF: "the largest positive 16-bit number",
        0xFF00: "a zero low byte",
    }
    for number, comment in chosen.items():
        name(layer, number, comment, flags=["boundary"] if number in (256, 65535) else [])
    seen = set(chosen)
    for length in range(1, PLAIN_LABEL):
        for number in [n for n in range(256, 65536) if len(label(n)) == length][:4]:
            name(layer, number, f"a label of only {length} characters, because leading zero groups vanish")
            seen.add(number)
    for top in digits.TOP_LEVEL:
        for number in [n for n in range(1000, 65536) if n not in seen and digits.domain(n).endswith("." + top)][:3]:
            name(layer, number, f"the top-level domain {top}")


def label(number):
    return digits.domain(number).split(".")[1]


def urls(layer):
    for number in (0, 1, 266, 256, 65535):
        tunnel, routing = seeded(f"url/{number}", 16), seeded(f"routing/{number}", 3)
        host = digits.domain(number)
        layer.valid(
            f"new-url-{number}",
            "the phone's URL, hex in lower case",
            "5.1",
            "tunnel.new-url",
            {"domain_id": number, "tunnel_id": tunnel},
            {"url": f"wss://{host}/cable/new/{tunnel.hex()}"},
            certainty="second-hand",
        )
        layer.valid(
            f"connect-url-{number}",
            "the client's URL, hex in lower case",
            "5.1",
            "tunnel.connect-url",
            {"domain_id": number, "routing_id": routing, "tunnel_id": tunnel},
            {"url": f"wss://{host}/cable/connect/{routing.hex()}/{tunnel.hex()}"},
            certainty="second-hand",
        )
    layer.invalid(
        "new-url-unassigned",
        "no URL on an unassigned domain",
        "2",
        "tunnel.new-url",
        {"domain_id": 2, "tunnel_id": bytes(16)},
        "unassigned-domain",
    )
    layer.invalid(
        "connect-url-unassigned",
        "no URL on an unassigned domain",
        "2",
        "tunnel.connect-url",
        {"domain_id": 255, "routing_id": bytes(3), "tunnel_id": bytes(16)},
        "unassigned-domain",
    )
    for count in (0, 2, 4):
        layer.invalid(
            f"connect-url-routing-{count}-bytes",
            f"a routing ID of {count} bytes",
            "5.1",
            "tunnel.connect-url",
            {"domain_id": 0, "routing_id": bytes(count), "tunnel_id": bytes(16)},
            "wrong-length",
        )
    for count in (0, 15, 17):
        layer.invalid(
            f"new-url-tunnel-{count}-bytes",
            f"a tunnel ID of {count} bytes",
            "5.1",
            "tunnel.new-url",
            {"domain_id": 0, "tunnel_id": bytes(count)},
            "wrong-length",
        )


def routing_ids(layer):
    for text in ("0a0b0c", "0A0B0C", "aBcDeF", "000000", "ffffff"):
        layer.valid(
            f"routing-id-{text if text.islower() or text.isdigit() else text.lower() + '-upper'}",
            "three bytes in hexadecimal, either case",
            "5.1",
            "routing-id.parse",
            {"text": text},
            {"routing_id": digits.routing_id(text)},
        )
    for slug, text, failure in (
        ("empty", "", "wrong-length"),
        ("two-bytes", "0a0b", "wrong-length"),
        ("four-bytes", "0a0b0c0d", "wrong-length"),
        ("odd", "0a0b0", "invalid-hex"),
        ("letter", "0a0b0g", "invalid-hex"),
        ("prefix", "0x0a0b", "invalid-hex"),
        ("space", "0a 0bc", "invalid-hex"),
        ("plus", "+a0b0c", "invalid-hex"),
        ("full-width", "\uff10a0b0c", "invalid-hex"),
        ("two-values", "0a0b0c,0a0b0c0", "invalid-hex"),
    ):
        layer.invalid(
            f"routing-id-{slug}", f"a malformed routing ID ({slug})", "5.1", "routing-id.parse", {"text": text}, failure
        )
