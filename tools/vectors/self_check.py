#!/usr/bin/env python3
"""Judges the vectors: every case against the reference, every file against its schema, the handshakes against another
library, and the recorded sessions against their records.

The outcomes in the files are those of the Swift modules, with which the reference shares no code.
Needs Python 3.11, `cryptography`, `jsonschema` and `noiseprotocol`.
"""

import argparse
import json
import sys

import self_check_noise
import self_check_recorded
import vectors
from operations import LAYERS
from reference import Refused, cbor, ctaphid, curve, digits, hand_over, l2cap, linking, messages, noise, secrets
from reference.session import replay


def _pads(given):
    return {"padded": noise.pad(bytes.fromhex(given["message"]))}


def _contents_of(given):
    mapping = {0: bytes.fromhex(given["public_key"]), 1: bytes.fromhex(given["secret"]), 2: given["known_domains"]}
    mapping |= {3: given["timestamp"]} if given["timestamp"] is not None else {}
    mapping |= {4: given["linking"]} if given["linking"] is not None else {}
    mapping |= {5: given["hint"]}
    mapping |= {6: given["channels"]} if given["channels"] != [0] else {}
    return mapping


def _encode_invitation(given):
    data = cbor.encode(_contents_of(given))
    return {"cbor": data.hex(), "url": secrets.PREFIX + digits.encode(data)}


def _tunnel_url(given, kind):
    host = digits.domain(given["domain_id"])
    for name, count in (("routing_id", 3), ("tunnel_id", 16)):
        if name in given and len(given[name]) != 2 * count:
            raise Refused("wrong-length")
    path = f"{given['routing_id']}/" if "routing_id" in given else ""
    return {"url": f"wss://{host}/cable/{kind}/{path}{given['tunnel_id']}"}


def _seal_advert(given):
    plaintext = bytes.fromhex(given["plaintext"])
    if len(plaintext) != secrets.PLAINTEXT_BYTES:
        raise Refused("wrong-length")
    return {"advert": secrets.seal(bytes.fromhex(given["eid_key"]), plaintext).hex()}


def _handshake(given):
    raw = {k: bytes.fromhex(v) for k, v in given.items() if k != "pattern"}
    pattern, public = given["pattern"], curve.public(raw["static_private"])
    first, state = noise.write_message_1(pattern, raw["psk"], public, raw["initiator_ephemeral_private"])
    static = public if pattern == "KNpsk0" else raw["static_private"]
    second, keys = noise.answer(pattern, raw["psk"], static, first, raw["responder_ephemeral_private"])
    mine = noise.finish(pattern, state, raw["initiator_ephemeral_private"], raw["static_private"], second)
    assert mine == keys
    return {"message_1": first.hex(), "message_2": second.hex()} | keys


def _respond(given):
    raw = {k: bytes.fromhex(v) for k, v in given.items() if k != "pattern"}
    static = raw["static_public"] if given["pattern"] == "KNpsk0" else raw["static_private"]
    second, keys = noise.answer(given["pattern"], raw["psk"], static, raw["message_1"], raw["ephemeral_private"])
    return {"message_2": second.hex()} | keys


def _finish(given):
    raw = {k: bytes.fromhex(v) for k, v in given.items() if k != "pattern"}
    public = raw.get("static_public") or curve.public(raw["static_private"])
    _, state = noise.write_message_1(given["pattern"], raw["psk"], public, raw["ephemeral_private"])
    return noise.finish(given["pattern"], state, raw["ephemeral_private"], raw.get("static_private"), raw["message_2"])


def _sequence(given):
    key = bytes.fromhex(given["key"])
    return {"messages": [noise.open_frame(key, i, bytes.fromhex(f)).hex() for i, f in enumerate(given["frames"])]}


def _first(given):
    mapping = {1: bytes.fromhex(given["get_info"])} if given["get_info"] is not None else {}
    mapping |= {3: given["features"]} if given["features"] != ["ctap"] else {}
    return {"plaintext": cbor.encode(mapping).hex()}


def _unpad_first(given):
    item, revision = messages.split_first(bytes.fromhex(given["plaintext"]))
    if revision != 0:
        raise Refused("invalid-cbor", "not padded")
    data = bytes.fromhex(given["plaintext"])
    for width in (2, 1):
        end = len(data) - width - int.from_bytes(data[-width:], "little")
        if end >= 0 and messages.attempt(data[:end]) is not messages.NOT_CBOR:
            return {"cbor": data[:end].hex()}
    raise AssertionError(item)


def _canonical(given):
    cbor.decode(bytes.fromhex(given["cbor"]))
    return {"cbor": given["cbor"]}


def _split(given):
    *whole, rest = bytes.fromhex(given["buffer"]).split(b"\r\n")
    return {"messages": [m.hex() for m in whole], "rest": rest.hex()}


def _receive(given):
    pieces = [bytes.fromhex(piece) for piece in given["pieces"]]
    messages, rest = l2cap.receive(bytes.fromhex(given["key"]), pieces, given["handshake_messages"])
    return {"messages": messages, "rest": rest}


def _raw(given):
    return {k: v if k in ("name", "hint", "info") else bytes.fromhex(v) for k, v in given.items()}


def _points(private):
    return {"private_key": private, "public_key": curve.public(private)}


def _identity(given):
    root = bytes.fromhex(given["root_secret"])
    return {"seed": linking.identity_seed(root)} | _points(linking.identity_key(root))


def _link_secret(given):
    raw = _raw(given)
    return {
        "contact_secret": linking.contact_secret(raw["root_secret"], raw["contact_id"]),
        "link_secret": linking.link_secret(raw["root_secret"], raw["contact_id"], raw["link_id"]),
    }


def _contact_url(given):
    contact = linking.encode_contact_id(bytes.fromhex(given["contact_id"]))
    return {"url": f"wss://{digits.domain(given['domain_id'])}/cable/contact/{contact}"}


def _request(given):
    raw = _raw(given)
    payload = linking.encode_request(raw["link_id"], raw["nonce"], raw["hint"])
    return {"payload": payload, "header": payload.hex()}


def _update(given):
    mapping = given["linking"] and cbor.Raw(bytes.fromhex(given["linking"]))
    return {"plaintext": linking.update(mapping)}


def _linking(given):
    raw = _raw(given)
    order = ("contact_id", "link_id", "link_secret", "identity_private", "name", "client_public", "handshake_hash")
    curve.load(raw["client_public"])
    mapping = linking.linking_map(*(raw[name] for name in order))
    return {"signature": mapping[6], "map": cbor.encode(mapping), "update": linking.update(mapping)}


def _verify(given):
    raw = _raw(given)
    return linking.verify(cbor.decode(raw["map"]), raw["static_private"], raw["handshake_hash"])


def _code(given):
    names = ("handshake_hash", "receiver_nonce", "sender_nonce", "typed_nonce")
    hash, receiver, sender, typed = (bytes.fromhex(given[name]) for name in names)
    code = hand_over.code(hash, receiver, sender)
    return {"commitment": hand_over.commitment(hash, receiver), "code": code, "typed_commitment": hand_over.typing(hash, code, typed)}


def _open(old):
    return lambda g: {
        "message": noise.open_frame(bytes.fromhex(g["key"]), g["counter"], bytes.fromhex(g["frame"]), old).hex()
    }


RUN = {
    "digits.encode": lambda g: {"digits": digits.encode(bytes.fromhex(g["bytes"]))},
    "digits.decode": lambda g: {"bytes": digits.decode(g["digits"]).hex()},
    "invitation.parse": lambda g: secrets.parse_url(g["url"]),
    "invitation.decode": lambda g: secrets.parse_contents(bytes.fromhex(g["cbor"])),
    "invitation.encode": _encode_invitation,
    "domain.name": lambda g: {"domain": digits.domain(g["id"])},
    "tunnel.new-url": lambda g: _tunnel_url(g, "new"),
    "tunnel.connect-url": lambda g: _tunnel_url(g, "connect"),
    "routing-id.parse": lambda g: {"routing_id": digits.routing_id(g["text"]).hex()},
    "key.derive": lambda g: {
        "output": secrets.derive(bytes.fromhex(g["secret"]), bytes.fromhex(g["salt"]), g["purpose"], g["length"]).hex()
    },
    "key.expand-p256": lambda g: _points(linking.expand(bytes.fromhex(g["seed"]), g["info"])),
    "root.identity-key": _identity,
    "root.link-secret": _link_secret,
    "root.contact-key": lambda g: _points(linking.contact_key(bytes.fromhex(g["root_secret"]))),
    "tunnel.contact-url": _contact_url,
    "contact-id.parse": lambda g: {"contact_id": linking.decode_contact_id(g["text"])},
    "contact-request.encode": _request,
    "contact-request.parse": lambda g: linking.parse_header(g["header"]),
    "update.encode": _update,
    "linking.encode": _linking,
    "linking.verify": _verify,
    "advert.linked-plaintext": lambda g: {"plaintext": linking.linked_plaintext(bytes.fromhex(g["random"]))},
    "advert.seal": _seal_advert,
    "advert.open": lambda g: secrets.open_advert(bytes.fromhex(g["eid_key"]), bytes.fromhex(g["advert"])),
    "advert.open-linked": lambda g: secrets.open_advert(bytes.fromhex(g["eid_key"]), bytes.fromhex(g["advert"]), True),
    "advert.parse": lambda g: secrets.parse_plaintext(bytes.fromhex(g["plaintext"])),
    "advert.suffix": lambda g: {"psm": secrets.suffix_psm(bytes.fromhex(g["suffix"]))},
    "cbor.canonical": _canonical,
    "noise.handshake": _handshake,
    "noise.respond": _respond,
    "noise.finish": _finish,
    "transport.pad": _pads,
    "transport.unpad": lambda g: {"message": noise.unpad(bytes.fromhex(g["padded"]))},
    "transport.seal": lambda g: {
        "frame": noise.seal(bytes.fromhex(g["key"]), g["counter"], bytes.fromhex(g["message"]))
    },
    "transport.seal-old": lambda g: {
        "frame": noise.seal(bytes.fromhex(g["key"]), g["counter"], bytes.fromhex(g["message"]), True)
    },
    "transport.open": _open(False),
    "transport.open-old": _open(True),
    "transport.sequence": _sequence,
    "message.decode": lambda g: messages.decode(bytes.fromhex(g["plaintext"])),
    "first-message.parse": lambda g: messages.parse_first(bytes.fromhex(g["plaintext"])),
    "first-message.encode": _first,
    "revision-0.unpad": _unpad_first,
    "update.parse": lambda g: messages.parse_update(bytes.fromhex(g["payload"])),
    "session.authenticator": lambda g: replay(g, "authenticator"),
    "session.client": lambda g: replay(g, "client"),
    "session.linked-authenticator": lambda g: replay(g, "authenticator", True),
    "session.linked-client": lambda g: replay(g, "client", True),
    "l2cap.split": _split,
    "l2cap.receive": _receive,
    "hand-over.parse": lambda g: hand_over.parse(g["url"]),
    "hand-over.code": _code,
    "hand-over.identity": lambda g: hand_over.identity(bytes.fromhex(g["private_key"]), bytes.fromhex(g["handshake_hash"])),
    "hand-over.digest": lambda g: {"digest": hand_over.digest(bytes.fromhex(g["credential_id"]))},
    "hand-over.decode": lambda g: hand_over.decode(bytes.fromhex(g["plaintext"])),
    "hand-over.session": hand_over.converse,
    "ctaphid.fragment": lambda g: {"reports": ctaphid.fragment(g["channel"], g["command"], bytes.fromhex(g["payload"]))},
    "ctaphid.exchange": lambda g: ctaphid.exchange(**g),
    "ctaphid.initialization": lambda g: ctaphid.initialization(bytes.fromhex(g["payload"])),
    "ctaphid.descriptor": lambda g: ctaphid.descriptor(bytes.fromhex(g["descriptor"])),
    "ctaphid.device": lambda g: {
        "results": ctaphid.converse(g["can_wink"], bytes.fromhex(g["device_version"]), g.get("max_waiting", 0), g["steps"])
    },
}


def hexed(value):
    """JSON has no bytes: they are lower-case hex."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {key: hexed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [hexed(item) for item in value]
    return value


def either_case(case):
    """A case's outcome with the hexadecimal digits of a tunnel's URL in lower case: in either they mean the same."""
    url = case.get("expected", {}).get("url", "")
    if case["operation"] not in ("tunnel.new-url", "tunnel.connect-url") or not url:
        return case
    *head, digits = url.split("/", 5)
    return case | {"expected": case["expected"] | {"url": "/".join([*head, digits.lower()])}}


def outcome(case):
    try:
        return {"expected": hexed(RUN[case["operation"]](case["input"]))}
    except Refused as refusal:
        return {"failure": refusal.kind}


def against_reference(case):
    stated = {key: value for key, value in either_case(case).items() if key in ("expected", "failure")}
    found = outcome(case)
    if found != stated:
        yield f"the reference says {str(found)[:300]}, the case {str(stated)[:300]}"


def against_schema(name, data):
    import jsonschema

    wanted = json.loads((vectors.DIRECTORY / name).parent.joinpath(data["$schema"]).read_text())
    jsonschema.Draft202012Validator.check_schema(wanted)
    for error in jsonschema.Draft202012Validator(wanted).iter_errors(data):
        yield f"{name}: {error.json_path}: {error.message[:200]}"


def faults():
    for file in vectors.DIRECTORY.rglob("rules.json"):
        yield from against_schema(file.relative_to(vectors.DIRECTORY), json.loads(file.read_text()))
    for folder in LAYERS:
        yield from against_schema(f"{folder}/index.json".lstrip("/"), vectors.index(folder))
    for folder, layer in ((folder, layer) for folder in LAYERS for layer in vectors.layers(folder)):
        yield from against_schema(f"{folder}/{layer['layer']}.json".lstrip("/"), layer)
        for case in layer["cases"]:
            yield from (f"{case['id']}: {fault}" for fault in against_reference(case))
        if layer["layer"] == "noise":
            yield from self_check_noise.compare(layer["cases"])
    yield from self_check_recorded.compare(vectors.cases())


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    wrong = list(faults())
    for line in wrong:
        print(f"self_check: {line}", file=sys.stderr)
    print(f"self_check: {len(vectors.all_cases())} cases, {len(wrong)} faults", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
