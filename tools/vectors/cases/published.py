"""The numbers of other implementations' unit tests, one case each, with their sources kept."""

import json
from pathlib import Path

from reference import digits, messages, secrets

from .case import slug

PATH = Path(__file__).resolve().parent.parent / "sources" / "public-unit-tests.json"
KINDS = {
    "non-digit": "non-digit",
    "length": "digit-count",
    "range": "digit-range",
    "unassigned tunnel domain": "unassigned-domain",
    "advert tag": "bad-tag",
    "advert too short": "too-short",
    "message type": "unknown-type",
}
# What the source calls only an error, or describes in words: the kind that the rules give it.
NAMED = {
    "QR map: point not on curve": "invalid-point",
    "QR map: key 0 is an integer": "wrong-type",
    "QR map: key 2 is text": "wrong-type",
    "QR map: key 4 is text": "wrong-type",
    "QR map: key 5 is an integer": "wrong-type",
    "QR reject http://example.com": "not-fido-url",
    "QR reject FIDO:/": "invalid-cbor",
    "QR reject FIDO://": "non-digit",
    "QR reject FIDO:/0": "digit-count",
    "QR reject FIDO:/999": "digit-range",
    "QR reject FIDO:/000": "not-a-map",
    "EID parse, reserved byte 1": "reserved-byte",
    "unpad empty": "empty",
    "unpad overlong": "bad-padding",
}


def add(layers):
    """Adds every published number to the layer that it belongs to."""
    for vector in json.loads(PATH.read_text())["vectors"]:
        convert(layers, vector)


def convert(layers, vector):
    operation, given, expected, rule = OPERATIONS[vector["op"]](vector)
    layer = next(x for x in layers if x.name == operation_layer(operation))
    more = {"source": vector["source"], "flags": ["published"]}
    if operation == "l2cap.split":
        more |= {"flags": ["published", "optional"], "certainty": "disputed"}
    if operation.startswith("tunnel."):
        more |= {"certainty": "second-hand"}
    name = f"published-{slug(vector['name'])}"
    taken = {case["id"] for case in layer.cases}
    while f"{layer.prefix}-{name}" in taken:
        name += "-again"
    note = f"; {vector['note']}" if "note" in vector else ""
    error = vector["expected"].get("error")
    if error is None or operation == "advert.suffix":
        if error:
            note += "; the source's parser reports an error, which its caller ignores"
        layer.valid(name, vector["name"] + note, rule, operation, given, expected, **more)
        return
    failure = NAMED.get(vector["name"]) or KINDS.get(error) or ("wrong-length" if "EID" in error else None)
    layer.invalid(name, vector["name"] + note, rule, operation, given, failure, **more)


def operation_layer(operation):
    from operations import OPERATIONS as TABLE

    return TABLE[operation][0]


def _hex(value):
    return bytes.fromhex(value)


def _same(operation, rule):
    return lambda v: (operation, dict(v["inputs"]), v["expected"], rule)


def _contents(operation, rule, key, parse):
    def build(v):
        expected = None
        if "error" not in v["expected"]:
            expected = parse(v["inputs"][key])
            for theirs, ours in (
                ("secret", "secret"),
                ("known_domains", "known_domains"),
                ("hint", "hint"),
                ("channels", "channels"),
                ("timestamp", "timestamp"),
                ("supports_linking", "linking"),
            ):
                if theirs in v["expected"]:
                    assert expected[ours] == v["expected"][theirs], v
        return operation, {key: v["inputs"][key]}, expected, rule

    return build


def _url_again(v):
    data = digits.decode(v["inputs"]["url"][6:])
    assert "FIDO:/" + digits.encode(data) == v["expected"]["url_again"]
    fields = secrets.parse_contents(data)
    return "invitation.encode", fields, {"cbor": data, "url": v["expected"]["url_again"]}, "1.3"


def _advert(v):
    inputs = v["inputs"]
    key = _hex(inputs["eid_key"]) if "eid_key" in inputs else secrets.eid_key(_hex(inputs["secret"]))
    if "plaintext" in inputs:
        return "advert.seal", {"eid_key": key, "plaintext": inputs["plaintext"]}, v["expected"], "4.2"
    expected = None
    if "plaintext" in v["expected"]:
        expected = secrets.open_advert(key, _hex(inputs["advert"]))
        assert expected["plaintext"] == v["expected"]["plaintext"]
    return "advert.open", {"eid_key": key, "advert": inputs["advert"]}, expected, "4.2"


def _plaintext(v):
    expected = None
    if "error" not in v["expected"]:
        expected = secrets.parse_plaintext(_hex(v["inputs"]["plaintext"]))
        assert all(expected[key] == value for key, value in v["expected"].items())
    return "advert.parse", {"plaintext": v["inputs"]["plaintext"]}, expected, "4.1"


def _suffix(v):
    return "advert.suffix", dict(v["inputs"]), {"psm": v["expected"].get("psm")}, "4.4"


def _url(v):
    kind = "connect" if "connect" in v["expected"] else "new"
    return f"tunnel.{kind}-url", dict(v["inputs"]), {"url": v["expected"][kind]}, "5.1"


def _frame(operation, theirs, ours):
    def build(v):
        inputs = dict(v["inputs"]) | {"counter": v["inputs"]["sequence"]}
        del inputs["sequence"]
        if "ciphertext" in inputs:
            inputs["frame"] = inputs.pop("ciphertext")
        return operation, inputs, {ours: v["expected"][theirs]}, "6.1"

    return build


def _message(v):
    expected = dict(v["expected"])
    if "type" in expected:
        expected["type"] = messages.NAMES[expected["type"]]
    return "message.decode", dict(v["inputs"]), expected, "7.2"


def _first(v):
    expected = messages.parse_first(_hex(v["inputs"]["plaintext"]))
    assert expected["features"] == v["expected"]["features"] and expected["get_info"] == v["expected"]["get_info"]
    return "first-message.parse", dict(v["inputs"]), expected, "7.1"


def _padded(v):
    data = _hex(v["inputs"]["cbor"])
    padded = messages.pad_revision_0(data)
    assert len(padded) == v["expected"]["size"]
    return "revision-0.unpad", {"plaintext": padded}, {"cbor": data}, "7.5"


OPERATIONS = {
    "digits.encode": _same("digits.encode", "1.2"),
    "digits.decode": _same("digits.decode", "1.2"),
    "qr.fields": _contents("invitation.decode", "1.3", "cbor", lambda x: secrets.parse_contents(_hex(x))),
    "qr.parse": _contents("invitation.parse", "1.1", "url", secrets.parse_url),
    "qr.cbor": _url_again,
    "hkdf.derive": lambda v: ("key.derive", dict(v["inputs"]), {"output": v["expected"]["out"]}, "3"),
    "tunnel.domain": _same("domain.name", "2"),
    "tunnel.url": _url,
    "eid.parse": _plaintext,
    "eid.open": _advert,
    "eid.seal": _advert,
    "advert.suffix": _suffix,
    "cbor.canonical": _same("cbor.canonical", "9"),
    "transport.pad": _same("transport.pad", "6.1"),
    "transport.unpad": _same("transport.unpad", "6.1"),
    "transport.seal": _frame("transport.seal", "ciphertext", "frame"),
    "transport.open": _frame("transport.open", "message", "message"),
    "message.decode": _message,
    "post_handshake.parse": _first,
    "padded_cbor.size": _padded,
    "l2cap.split": _same("l2cap.split", "10"),
}
