"""A stand-in for the kernel's Bluetooth management interface that behaves as its argument says.

Prints the path of its socket, then a line for everything that is done to it.
"""
import os
import socket
import struct
import sys
import tempfile
import threading
import time

behaviour = sys.argv[1]
POWERED, LOW_ENERGY, CLASSIC = 1 << 0, 1 << 9, 1 << 7
OK, FAILED, UNKNOWN_COMMAND, BUSY, NOT_POWERED, BLOCKED, DENIED = 0, 3, 1, 0x0A, 0x0F, 0x12, 0x14
COMPLETE, STATUS, INDEX_REMOVED, NEW_SETTINGS, FOUND, DISCOVERING, ADVERT_REMOVED = 1, 2, 5, 6, 0x12, 0x13, 0x24
NO_CONTROLLER = 0xFFFF
UNKNOWN_RSSI = 127

supported = CLASSIC if behaviour == "no-le" else CLASSIC | LOW_ENERGY
current = {"off": CLASSIC, "blocked": CLASSIC, "no-le": CLASSIC | POWERED}.get(
    behaviour, CLASSIC | LOW_ENERGY | POWERED)
instances = [1, 2, 3] if behaviour == "full" else [1]
starts = 0
busy = 2
discovering = threading.Event()


def say(*words):
    print(*words, flush=True)


def event(code, index, parameters):
    peer.send(struct.pack("<HHH", code, index, len(parameters)) + parameters)


def answer(command, index, status, values=b""):
    code = COMPLETE if status == OK else STATUS
    event(code, index, struct.pack("<HB", command, status) + (values if status == OK else b""))


def found(data, kind=2, address=bytes(range(6)), length=None, rssi=-50):
    length = len(data) if length is None else length
    return address + struct.pack("<BbIH", kind, rssi, 0, length) + data


def service_data(uuid, data):
    return struct.pack("<BBH", len(data) + 3, 0x16, uuid) + data


def adverts():
    if behaviour == "nonsense":
        nonsense()
    event(FOUND, 0, found(b"\x02\x01\x06" + service_data(0xFFF9, bytes(range(20)))))
    event(FOUND, 0, found(service_data(0xFDE2, bytes(range(24))), kind=1, address=b"\x22" * 6, rssi=UNKNOWN_RSSI))


def nonsense():
    """What no kernel sends, and what any device may."""
    good = found(service_data(0xFFF9, b"\xEE" * 20))
    for packet in (b"", b"\x12", struct.pack("<HHH", FOUND, 0, len(good)), struct.pack("<HHH", FOUND, 0, len(good) - 1) + good,
                   struct.pack("<HHH", FOUND, 0, len(good) + 1) + good, struct.pack("<HHH", FOUND, 0, 0xFFFF) + good):
        if packet:
            peer.send(packet)
    event(0x7777, 0, b"whatever")
    event(COMPLETE, 0, b"\x23")
    event(STATUS, 0, struct.pack("<HB", 0x0023, FAILED) + b"more")
    event(COMPLETE, 0, struct.pack("<HB", 0x0023, FAILED))
    event(NEW_SETTINGS, 0, b"\0")
    event(NEW_SETTINGS, 1, b"\0\0\0\0")
    event(INDEX_REMOVED, 1, b"")
    event(INDEX_REMOVED, 0, b"\0")
    event(DISCOVERING, 0, b"\6")
    event(FOUND, 1, good)
    event(FOUND, 0, good[:-1])
    event(FOUND, 0, good[:13])
    event(FOUND, 0, found(service_data(0xFFF9, b"\xEE" * 20), kind=0))
    event(FOUND, 0, found(service_data(0xFFF9, b"\xEE" * 20), kind=9))
    event(FOUND, 0, found(service_data(0xFFF9, b"\xEE" * 20), length=0xFFFF))
    event(FOUND, 0, found(service_data(0x180F, b"\xEE" * 20)))
    for length in range(256):
        event(FOUND, 0, found(bytes([length]) + b"\x16\xF9" + b"\xFF" * 0))
        event(FOUND, 0, found(b"\0" * length))
    event(FOUND, 0, found(b"\x03\x16\xF9\xFF"))
    event(FOUND, 0, found(b"\xFF" * 1650))
    peer.send(struct.pack("<HHH", FOUND, 0, 9000) + b"\0" * 9000)


def later():
    """What happens once something runs."""
    time.sleep(0.2)
    if behaviour == "unplugged":
        event(INDEX_REMOVED, 0, b"")
    elif behaviour == "unplugged-powered-off":
        event(NEW_SETTINGS, 0, struct.pack("<I", CLASSIC | LOW_ENERGY))
        time.sleep(0.1)
        event(INDEX_REMOVED, 0, b"")
    elif behaviour == "unpowered":
        # The kernel takes the adverts away first.
        event(ADVERT_REMOVED, 0, bytes([2]))
        event(NEW_SETTINGS, 0, struct.pack("<I", CLASSIC | LOW_ENERGY))
    elif behaviour == "le-off":
        event(NEW_SETTINGS, 0, struct.pack("<I", CLASSIC | POWERED))
    elif behaviour == "removed":
        event(ADVERT_REMOVED, 0, bytes([2]))
    elif behaviour == "others-removed":
        event(ADVERT_REMOVED, 0, bytes([1]))
        event(ADVERT_REMOVED, 1, bytes([2]))
    elif behaviour == "gone":
        peer.shutdown(socket.SHUT_RDWR)


def information():
    return bytes(range(6)) + struct.pack("<BHII", 9, 0, supported, current) + bytes(3) + b"lab\x1b".ljust(249, b"\0") + bytes(11)


def take(command, index, parameters):
    global current, starts, busy
    if behaviour == "denied" and command not in (0x0003, 0x0004):
        return answer(command, index, DENIED)
    if command == 0x0003:
        return answer(command, NO_CONTROLLER, OK, struct.pack("<H", 0) if behaviour == "none" else struct.pack("<HH", 1, 0))
    if command == 0x0004:
        return answer(command, index, OK, information()[:279 if behaviour == "wrong-reply" else None])
    if command in (0x0005, 0x000D):
        say("power" if command == 0x0005 else "le", *parameters)
        if behaviour == "blocked":
            return answer(command, index, BLOCKED)
        current |= POWERED if command == 0x0005 else LOW_ENERGY
        return answer(command, index, OK, struct.pack("<I", current))
    if command == 0x0023:
        starts += 1
        say("start", *parameters)
        if behaviour == "hang":
            return
        if behaviour == "not-powered":
            return answer(command, index, NOT_POWERED)
        if behaviour == "busy":
            answer(command, index, BUSY)
            return adverts()
        answer(command, index, OK, parameters)
        event(DISCOVERING, 0, parameters + b"\1")
        if behaviour == "ends" and starts < 3:
            return event(DISCOVERING, 0, parameters + b"\0")
        adverts()
        threading.Thread(target=later, daemon=True).start()
    elif command == 0x0024:
        say("stop", *parameters)
        answer(command, index, OK, parameters)
    elif command == 0x003D:
        if behaviour == "small":
            features = struct.pack("<IBBBB", 0x7F, 31, 31, 5, 0)
        else:
            features = struct.pack("<IBBBB", 0x3FF, 251, 251, 3, len(instances)) + bytes(instances)
        answer(command, index, OK, features)
    elif command == 0x003E:
        instance, flags, duration, life, length, _ = struct.unpack_from("<BIHHBB", parameters)
        say("advert", instance, hex(flags), life, parameters[11:].hex())
        answer(command, index, OK, bytes([instance]))
    elif command == 0x003F:
        say("remove", *parameters)
        answer(command, index, OK, parameters)
    elif command == 0x0054:
        if behaviour == "old":
            return answer(command, index, UNKNOWN_COMMAND)
        if behaviour == "busy" and busy:
            busy -= 1
            return answer(command, index, BUSY)
        if behaviour == "crowded":
            return answer(command, index, 0x07)
        instance, flags, duration, life, least, most, power = struct.unpack("<BIHHIIb", parameters)
        say("parameters", instance, hex(flags), life, least, most, power)
        room = 28 if behaviour in ("small", "narrow") else 251
        answer(command, index, OK, bytes([instance, 0, room, room]))
    elif command == 0x0055:
        say("data", parameters[0], parameters[3:3 + parameters[1]].hex())
        answer(command, index, OK, parameters[:1])
        threading.Thread(target=later, daemon=True).start()
    else:
        answer(command, index, UNKNOWN_COMMAND)


with tempfile.TemporaryDirectory() as folder:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(os.path.join(folder, "kernel"))
    listener.listen()
    say(os.path.join(folder, "kernel"))
    peer, _ = listener.accept()
    while packet := peer.recv(65536):
        command, index, length = struct.unpack_from("<HHH", packet)
        if length != len(packet) - 6:
            say("broken", packet.hex())
            continue
        take(command, index, packet[6:])
    say("closed")
