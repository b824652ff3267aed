"""Holds the sessions recorded with Chromium against their records: what was sent, what was received, and every key."""

import json
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "sources"
# The names in a record, by those in a case.
INPUTS = {
    "url": "qr_url",
    "domain_id": "tunnel_domain_id",
    "routing_id": "routing_id",
    "ephemeral_private": "authenticator_ephemeral_private",
    "message_1": "client_handshake",
}
OUTPUTS = {
    "tunnel_id": "tunnel_id",
    "eid_key": "eid_key",
    "advert": "advert",
    "psk": "psk",
    "message_2": "authenticator_handshake",
    "handshake_hash": "handshake_hash",
    "client_to_authenticator_key": "client_to_auth_key",
    "authenticator_to_client_key": "auth_to_client_key",
}
NONCE = slice(2, 22)  # hexadecimal digits of the advert's plaintext


def frames(record):
    """What the authenticator sent in the clear and received sealed; and what came of each."""
    for frame in record["frames"]:
        if frame["dir"] == "to_client":
            yield {"sender": "authenticator", "plaintext": frame["plain"]}, frame["cipher"]
        else:
            yield {"sender": "client", "frame": frame["cipher"]}, frame["plain"]


def expectations(record):
    """A case's input and outcome, as the record has them."""
    given = {ours: record[theirs] for ours, theirs in INPUTS.items()}
    given |= {"advert_nonce": record["eid_plaintext"][NONCE], "frames": [frame for frame, _ in frames(record)]}
    outcome = {ours: record[theirs] for ours, theirs in OUTPUTS.items()}
    return given, outcome | {"results": [result for _, result in frames(record)]}


def compare(cases):
    recorded = {case["source"].rsplit("/", 1)[1]: case for case in cases if "recorded" in case.get("flags", ())}
    records = {path.name: json.loads(path.read_text()) for path in SOURCES.glob("*.json")}
    for name in sorted(recorded.keys() ^ records.keys()):
        yield f"{name}: a case without a record, or a record without a case"
    for name in sorted(recorded.keys() & records.keys()):
        case = recorded[name]
        if (case["input"], case["expected"]) != expectations(records[name]):
            yield f"{case['id']}: not as it was recorded"
