"""Compares what the dissector finds in a capture with what `hybrid inspect --json` finds."""

import collections
import json
import subprocess

import exports
import sharks

PEOPLE = {0: "client", 1: "authenticator"}


def inspected(hybrid, path, decrypted):
    """The lines of `inspect --json`, with the key log beside the capture, if there is one."""
    command = [hybrid, "inspect", str(path), "--json", "--decrypted", str(decrypted)]
    if (keys := path.with_suffix(".keys")).exists():
        command += ["--key-log", str(keys)]
    done = subprocess.run(command, capture_output=True, timeout=sharks.TIME_LIMIT)
    if done.returncode != 0:
        raise sharks.Failed(f"inspect ended with {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def adverts(path):
    """Service data in a capture, by UUID: how often each was reported or sent."""
    heard = collections.Counter()
    names = ("btcommon.eir_ad.entry.service_data", "hybrid.advert.uuid", "hybrid.decoy")
    for data, uuid, decoy in sharks.fields(path, *names):
        if uuid or decoy:
            heard[(uuid or decoy).removeprefix("0x").upper(), data.replace(":", "")] += 1
    return heard


def messages(path):
    """Handshake messages and sealed frames, by carrier and sender. What both ends show counts once, by its tag."""
    tags = set()
    names = ("hybrid.carrier", "hybrid.direction", "hybrid.handshake.tag", "hybrid.frame.tag")
    for carriers, directions, *lists in sharks.fields(path, *names):
        for tag in ",".join(lists).split(","):
            if tag:
                tags.add((names_of(carriers.split(",")[0], directions.split(",")[0]), tag))
    return collections.Counter(name for name, _ in tags)


def names_of(carrier, direction):
    return ("tunnel", "l2cap", "advert")[int(carrier)], PEOPLE[int(direction)]


def compare(hybrid, path, folder):
    """Whether both find the same adverts, channels and messages, and read the same in the decrypted export."""
    decrypted = folder / f"{path.name}.decrypted.pcapng"
    lines = inspected(hybrid, path, decrypted)
    events = collections.defaultdict(list)
    for line in lines:
        events[line["event"]].append(line)
    ours = {
        "adverts": {(line["service"], line["data"]) for line in events["advert"]},
        "messages": collections.Counter((line["carrier"], line["from"]) for line in events["message"]),
        # A registration for links carries no session, and the dissector shows it as the WebSocket that it is.
        "tunnels": sorted(line["path"] for line in events["tunnel_opened"] if line["path"] != "/cable/listen"),
        "channels": len(events["channel_opened"]),
    }
    tunnels = sorted(uri for (uri,) in sharks.fields(path, "http.request.uri", shown="hybrid.tunnel.request"))
    # LE credit based connection requests.
    channels = list(sharks.fields(path, "frame.number", shown="btl2cap.cmd_code == 0x14"))
    theirs = {"adverts": set(adverts(path)), "messages": messages(path), "tunnels": tunnels, "channels": len(channels)}
    for what, expected in ours.items():
        if theirs[what] != expected:
            raise sharks.Failed(f"inspect and the dissector disagree on {what}: {expected} and {theirs[what]}")
    return f"{len(ours['adverts'])} adverts, {ours['channels'] + len(tunnels)} channels, " + compare_decrypted(
        events, decrypted
    )


def compare_decrypted(events, decrypted):
    """Whether the dissector reads from the export what inspect has written: who, what kind, which bytes."""
    # Of each kind: the kind of the PDU, the message type, and whether it is a first message.
    kinds = {
        "handshake": ("0", "", ""),
        "first": ("1", "", "1"),
        "shutdown": ("1", "0", ""),
        "ctap": ("1", "1", ""),
        "update": ("1", "2", ""),
        "json": ("1", "3", ""),
    }
    expected = [(line["from"], *kinds[line["kind"]]) for line in events["message"] if line["kind"] != "sealed"]
    pdus = [pdu for pdu in exports.pdus(decrypted) if pdu[3] != exports.ADVERT]
    contents = [line.get("bytes") for line in events["message"] if line["kind"] != "sealed"]
    names = ("hybrid.direction", "hybrid.kind", "hybrid.type", "hybrid.first_message")
    read = [(PEOPLE[int(direction)], *rest) for direction, *rest in sharks.fields(decrypted, *names) if rest[0] != "2"]
    if read != expected:
        raise sharks.Failed(f"inspect wrote {expected}, the dissector reads {read}")
    if any(content not in (None, pdu[4:].hex()) for content, pdu in zip(contents, pdus, strict=True)):
        raise sharks.Failed("the export has other bytes than --json")
    # The suffix of a foreign advert may be anything.
    is_malformed = "hybrid.expert.malformed and hybrid.kind != 2"
    if malformed := list(sharks.fields(decrypted, "hybrid.expert.malformed", shown=is_malformed)):
        raise sharks.Failed(f"malformed in the export: {malformed}")
    return f"{len(events['message'])} messages, {len(read)} decrypted"
