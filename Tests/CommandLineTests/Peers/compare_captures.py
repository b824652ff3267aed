"""Compares what hybrid inspect --json says of a capture with what tshark says: adverts, their times, channels.

compare_captures.py CAPTURE EVENTS: EVENTS is the output of hybrid inspect --json. Prints what was compared, or fails.
compare_captures.py --decrypted CAPTURE EVENTS: CAPTURE is the file of --decrypted.
"""
import json
import subprocess
import sys

SERVICES = {"0xfff9": "FFF9", "0xfde2": "FDE2", "0xfcf1": "FCF1"}


def tshark(capture, display_filter, *fields):
    command = ["tshark", "-r", capture, "-Y", display_filter, "-T", "fields", "-E", "occurrence=a"]
    for field in fields:
        command += ["-e", field]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split("\t") for line in lines]


def compare(what, ours, theirs):
    if ours != theirs:
        sys.exit(f"{what} differ: hybrid {ours}, tshark {theirs}")
    print(f"{what}: {len(ours)} agree")


def rounded(time):
    return round(float(time), 5)


def air(capture, events):
    seen = {}
    fields = ["frame.time_epoch", "btcommon.eir_ad.entry.uuid_16", "btcommon.eir_ad.entry.service_data"]
    for time, uuids, datas in tshark(capture, "bthci_evt.code == 0x3e && btcommon.eir_ad.entry.service_data", *fields):
        for uuid, data in zip(uuids.split(","), datas.split(",")):
            if uuid in SERVICES:
                seen.setdefault((SERVICES[uuid], data.replace(":", "")), []).append(rounded(time))
    adverts = {event["advert"]: event for event in events if event["event"] == "advert" and event["direction"] == "received" and event["data"]}
    ours = {}
    for event in events:
        if event["event"] == "advert_times" and event["advert"] in adverts:
            advert = adverts[event["advert"]]
            key = (advert["service"], advert["data"])
            first, last, count = ours.get(key, (float("inf"), 0, 0))
            ours[key] = (min(first, rounded(event["first"])), max(last, rounded(event["last"])), count + event["count"])
    compare("adverts", ours, {key: (min(times), max(times), len(times)) for key, times in seen.items()})

    requests = tshark(capture, "btl2cap.cmd_code == 0x15 && btl2cap.le_result == 0", "frame.number", "btl2cap.initial_credits")
    opened = [[str(event["packet"]), str(event["acceptor"]["credits_granted"])] for event in events if event["event"] == "channel_opened"]
    compare("channels", opened, requests)
    # Of two adapters in one capture, whose channels have the same numbers, tshark does not tell the SDUs apart: its frames are compared.
    frames = tshark(capture, "btl2cap.cid >= 0x40 && !btl2cap.cmd_code", "btl2cap.length")
    sides = [event[side] for event in events if event["event"] == "channel_closed" for side in ("initiator", "acceptor")]
    ours = [sum(side["frames"] for side in sides), sum(side["bytes"] + 2 * side["sdus"] for side in sides)]
    compare("frames of channels and their bytes", ours, [len(frames), sum(int(length) for [length] in frames)])


def decrypted(capture, events):
    theirs = [(rounded(time), int(length)) for time, length in tshark(capture, "frame", "frame.time_epoch", "frame.len")]
    ours = []
    for event in events:
        if event["event"] == "message" and "bytes" in event:
            ours.append((rounded(event["time"]), 20 + len(event["bytes"]) // 2))
        elif event["event"] == "advert" and event["kind"] == "hybrid":
            ours.append((rounded(event["time"]), 20 + (16 if event.get("opening") == "opened" else len(event["data"]) // 2)))
    compare("packets", ours, theirs)


if __name__ == "__main__":
    is_decrypted = sys.argv[1] == "--decrypted"
    capture, path = sys.argv[-2:]
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    (decrypted if is_decrypted else air)(capture, lines)
