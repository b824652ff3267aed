"""What is inside the sealed frames (the articles Messages and Linking): the first message, typed messages, updates."""

from . import Refused, cbor

SHUTDOWN, CTAP, UPDATE, JSON = 0, 1, 2, 3
NAMES = {SHUTDOWN: "shutdown", CTAP: "ctap", UPDATE: "update", JSON: "json"}


def decode(plaintext):
    if not plaintext:
        raise Refused("empty")
    kind, payload = plaintext[0], plaintext[1:]
    if kind not in NAMES:
        raise Refused("unknown-type")
    if kind == SHUTDOWN and payload:
        raise Refused("non-empty-payload")
    if kind in (CTAP, JSON) and not payload:
        raise Refused("empty")
    if kind == JSON:
        try:
            payload.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("invalid-text")
    return {"type": NAMES[kind], "payload": payload.hex()}


NOT_CBOR = object()


def attempt(data):
    """The decoded item, or NOT_CBOR."""
    try:
        return cbor.decode(data)
    except Refused:
        return NOT_CBOR


def split_first(plaintext):
    """The decoded first message and its revision."""
    item = attempt(plaintext)
    if item is not NOT_CBOR:
        return item, 1
    for width in (2, 1):
        if len(plaintext) < width:
            continue
        zeros = int.from_bytes(plaintext[-width:], "little")
        end = len(plaintext) - width - zeros
        item = attempt(plaintext[:end]) if end >= 0 else NOT_CBOR
        if item is not NOT_CBOR:
            return item, 0
    raise Refused("invalid-cbor")


def parse_first(plaintext):
    item, revision = split_first(plaintext)
    if not isinstance(item, dict):
        raise Refused("not-a-map")
    info, has_info = cbor.get(item, 1)
    if has_info and type(info) is not bytes:
        raise Refused("wrong-type", "key 1")
    linking, has_linking = cbor.get(item, 2)
    if has_linking and type(linking) is not dict:
        raise Refused("wrong-type", "key 2")
    names, has_names = cbor.get(item, 3)
    if has_names and type(names) is not list:
        raise Refused("wrong-type", "key 3")
    features = [n for n in ("ctap", "dc") if n in names] if has_names else ["ctap"]
    if has_info != ("ctap" in features):
        raise Refused("feature-mismatch")
    return {
        "revision": revision,
        "features": features,
        "get_info": info.hex() if has_info else None,
        "has_linking": has_linking,
    }


def parse_update(payload):
    item = attempt(payload)
    if item is NOT_CBOR:
        raise Refused("invalid-cbor")
    if not isinstance(item, dict):
        raise Refused("not-a-map")
    linking, present = cbor.get(item, 1)
    if present and type(linking) is not dict:
        raise Refused("wrong-type", "key 1")
    return {"has_linking": present}
