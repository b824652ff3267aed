"""Inputs for the fuzz targets from Vectors/, from recorded sessions and by hand: each is the target's choices, then the bytes."""
import base64
import hashlib
import json
import pathlib
import struct

LONGEST = 2048
# For each target: the layers of Vectors whose byte strings it reads, and the choices that may stand before them.
SOURCES = {
    "qr-digits": (["qr-digits"], [""]),
    "invitation": (["qr-contents"], ["00", "01"]),
    "cbor": (["cbor", "message", "qr-contents"], [""]),
    "advert": (["advert"], ["00", "01"]),
    "hand-over": (["hand-over"], ["00", "01"]),
    "messages": (["message", "transport"], ["00", "01", "02", "03"]),
    "ctap-request": (["session"], [""]),
    "ctap-response": (["session", "message"], ["00", "01", "02", "03"]),
}
# What no vector has, written by hand.
HANDMADE = {
    "vault": lambda: [b"\2" + credential_file(0), b"\2" + credential_file(1), b"\2" + credential_file(2), b"\1" + vault_file()],
    "digital-credential": lambda: [
        b"\0" + b'{"client_id":"x509_san_dns:c","expected_origins":["https://a.b"],"dcql_query":{"credentials":[{"format":"f"}]}}',
        b"\1" + b'{"alg":"ES256","typ":"oauth-authz-req+jwt"}', b"\2" + b'{"expected_origins":["https://a.b"]}',
        b"\3" + b'{"alg":"ES256","client_id":"c"}',
        b"\5" + cbor({"docRequests": [{"itemsRequest": 1}]}).replace(
            b"\1", b"\xd8\x18" + cbor(cbor({"docType": "d", "nameSpaces": {"n": {"e": False}}})))],
    "related-origins": lambda: [b"\1" + case["response"]["body"].encode() for case in related_origins()
                                if 0 < len(case["response"].get("body", "")) <= LONGEST],
    "cxf": lambda: [cxf_file().encode(), cxf_account().encode()],
    "bitwarden": lambda: [bitwarden_file().encode()],
    "keepassxc-passkey": lambda: [keepassxc_file().encode()],
    "keepass-xml": lambda: [keepass_xml().encode()],
    "kdbx": lambda: [b"\2" + kdbx_contents(), b"\0" + bytes.fromhex("03d9a29a67fb4bb500000400"), b"\1" + kdbx_parameters()],
    "pkcs8": lambda: [bytes.fromhex(ED25519_KEY), bytes.fromhex(P256_KEY)],
    "cluster-message": lambda: [
        b"\0" + cbor({1: kind} | fields) for kind, fields in NODE_MESSAGES] + [
        b"\2" + cbor({0: 2, 1: bytes(16), 2: 1, 3: cbor({1: kind} | fields), 4: bytes(32)}) for kind, fields in NODE_MESSAGES],
    "cluster": lambda: [bytes.fromhex("".join(steps)) for steps in NODE_STEPS],
    "contact-request": lambda: [b"\0" + cbor({1: bytes(8), 2: bytes(16), 3: hint}) for hint in ("ga", "mc", "dcp")],
    "capture-file": lambda: [b"\x40" + keys + file for file, keys in captures()],
    "capture": lambda: [keys + capture_packets(file) for file, keys in captures()],
    "ctaphid-device": lambda: [conversation(case) for case in vectors("ctaphid") if case["operation"] == "ctaphid.device"],
    "ctaphid-host": lambda: [b"\0" + bytes.fromhex(case["input"]["descriptor"])
                             for case in vectors("ctaphid") if case["operation"] == "ctaphid.descriptor"],
    "runner": lambda: [
        b"\0GET /cable/new/00 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AA==\r\n\r\n",
        b"\1HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX-caBLE-Routing-ID: 000000\r\n\r\n",
        b"\2# why\nclient.session.one  a reason\n"],
    "shim": lambda: [json.dumps(line).encode() for line in SHIM_LINES],
    "dbus": lambda: [bus_message(signature, bytes.fromhex(body)) for signature, body in BUS_BODIES],
}
# Lines of shims.
SHIM_LINES = [
    {"type": "hello", "shim": 1, "name": "n", "version": "1", "roles": ["client"], "features": ["qr"], "operations": ["cbor.decode"]},
    {"type": "qr", "text": "FIDO:/0"}, {"type": "open", "url": "wss://a.b/"}, {"type": "advert", "data": "00"}, {"type": "closed", "code": 1},
    {"type": "message", "data": "0a0b"}, {"type": "ctap", "data": "04"}, {"type": "end", "ok": False, "reason": "r"},
    {"type": "result", "output": {"a": "00", "b": [1, True, None]}}, {"type": "error", "kind": "k", "reason": "r"}, {"type": "unsupported"}]
# Messages of nodes: type, and fields.
NODE_MESSAGES = [
    (2, {2: 3, 3: 17}), (3, {}), (4, {2: 5, 3: 7}), (5, {2: 5, 3: 7}), (5, {2: 5, 3: 7, 4: 99, 5: 3}), (6, {2: [bytes(8)]}),
    (7, {}), (8, {2: bytes(16)}), (9, {}), (10, {2: 1}), (11, {2: True}), (12, {2: 1})]
# A node's peer registers, as the target draws it: it connects, asks to listen, and registers two labels; nobody else has it.
LISTENS = ["000000", "0000010002" + "00", "000006" + "00" * 16 + "020201" + "00" + "01020304", "050101"]
# Another node sends as it should: unaltered, of the first process, with the next counter.
SENT = "01" + "00" + "01" + "01"
# It tells that it goes on, is asked for a proof, and gives it.
ALIVE, PROOF = "03030001" + "0b" + "0105" + SENT, "0502" + "00" + "0101" + "01" + "01" + "01" + "01"
# It wakes the peer, which acknowledges that; tells of a registration.
WAKE, ACKNOWLEDGE = "03040101" + "0000" + "07" + "000000" + "00" + SENT, "000006" + "0001" + "00" + "01020304"
REGISTERED, RETURNED = "03040001" + "04" + "0105" + "0107" + "01" + "0163" + "00" + SENT, "03040001" + "06" + SENT
# The peer leaves, and a client asks for it; what other nodes say of that.
CALL, OUTCOME, NOBODY = "00" + "0008" + "000100" + "000101" + "00000300", "0502" + "00" + "0101" + "00" + "0105" + SENT, "050201"
NODE_STEPS = [
    LISTENS, [*LISTENS, ALIVE, PROOF, WAKE, ACKNOWLEDGE], [*LISTENS, ALIVE, PROOF, REGISTERED],
    [*LISTENS, ALIVE, PROOF, ALIVE, "07ff", "0600", "0601", ALIVE], [*LISTENS, CALL, OUTCOME],
    [*LISTENS, ALIVE, PROOF, CALL, NOBODY, RETURNED, ALIVE]]
# RFC 8032 section 7.1 test 1, and the P-256 key 1 with its public half, in PKCS #8.
ED25519_KEY = "302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
P256_KEY = (
    "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420" + "01".rjust(64, "0") + "a14403420004"
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")


def filled(begin, piece, end=b"", length=4_000):
    """A text of about a length that repeats a piece."""
    return begin + piece * ((length - len(begin) - len(end)) // len(piece)) + end


# What may cost more than its length: much of one kind.
LONG_JSON = [
    filled(b"", b"["), filled(b"[", b"0,", b"0]"), filled(b"[", b"{},", b"{}]"), filled(b'"', b"\\u0041", b'"'), filled(b'"', b"\xf0\x9f\x98\x80", b'"'),
    filled(b"{", b'"a":0,', b'"b":0}'), filled(b"", b"1"), filled(b"1e", b"1"), filled(b"", b" "), filled(b"", b'{"a":'),
    b"{" + b",".join(b'"%d":0' % number for number in range(500)) + b"}"]
LONG_XML = [
    filled(b"<KeePassFile><Meta>", piece, b"</Meta></KeePassFile>")
    for piece in (b"<b/>", b"<b></b>", b"&lt;", b"&#65;", b"<!---->", b"x", b"<?a?>", b"\xe2\x82\xac", b"<b a='' c='' d=''/>")] + [
    filled(b"<KeePassFile><Meta>" + b"<a>" * 60, b"x", b"</a>" * 60 + b"</Meta></KeePassFile>"), filled(b"", b" ", b"<a/>"),
    filled(b"<KeePassFile><Meta a='", b"x", b"'/></KeePassFile>"),
    filled(b"<KeePassFile><Root>", b"<Group>"), filled(b"<KeePassFile><Root><Group><UUID>AQ==</UUID>", b"<Entry></Entry>", b"</Group></Root></KeePassFile>"),
    filled(b"<KeePassFile><Root><Group><UUID>AQ==</UUID><Entry><String><Key>Title</Key><Value>", b"x",
           b"</Value></String></Entry></Group></Root></KeePassFile>"),
    filled(b"<KeePassFile><Root><Group><UUID>AQ==</UUID><Entry>", b"<String><Key>a</Key><Value Protected='True'>AQ==</Value></String>",
           b"</Entry></Group></Root></KeePassFile>")]
LONG_CBOR = [
    filled(b"", b"\x81"), filled(b"\x99\x0f\x00", b"\0"), filled(b"", b"\xa1\0"), filled(b"\x9f", b"\x80", b"\xff"), filled(b"", b"\xc1"),
    filled(b"\x5f", b"\x41a", b"\xff"), b"\xb9\x03\xe8" + b"".join(b"\x19" + number.to_bytes(2, "big") + b"\0" for number in range(1024, 2024))]
LONG = {
    "json": (LONG_JSON, ["00"]), "shim": (LONG_JSON, [""]), "related-origins": (LONG_JSON, ["01"]), "digital-credential": (LONG_JSON, ["00"]),
    "bitwarden": (LONG_JSON, [""]), "keepassxc-passkey": (LONG_JSON, [""]), "cxf": (LONG_JSON, [""]),
    "keepass-xml": (LONG_XML, [""]), "cbor": (LONG_CBOR, [""]), "messages": (LONG_CBOR, ["00", "01", "02"]), "ctap-request": (LONG_CBOR, ["01"]),
    "cluster-message": (LONG_CBOR, ["00", "02"]), "contact-request": (LONG_CBOR, ["00"]), "vault": (LONG_CBOR, ["01", "02"]),
}


# Targets that draw one step after another: much of one step.
STEPPED = {"tunnel-service", "cluster", "tunnel-client", "ctaphid-device", "ctaphid-host", "assembler", "session", "frames", "hand-over", "capture"}


def long_inputs(target):
    """Inputs that are nearly as long as a target takes, in the order in which they stand here."""
    texts, choices = LONG.get(target, ([], []))
    inputs = [bytes.fromhex(choice) + text for text in texts for choice in choices]
    if target in LONG_FILES:
        begin, piece, end = LONG_FILES[target]
        inputs.append(filled(begin, piece, end))
    if target == "kdbx":
        inputs += [b"\2\1\4\0\0\0\3\0\0\0" + b"\2\x40\0\0\0" + bytes(64) + b"\0\0\0\0\0" + text for text in LONG_XML]
        inputs.append(filled(b"\2", b"\3\1\0\0\0\0"))
    if target in STEPPED:
        inputs += [filled(b"\2" if target == "hand-over" else b"", bytes([step]), length=1_000) for step in range(8)]
    if target == "capture-file":
        # Packets and blocks without contents, of the shortest files' heads.
        inputs.append(filled(b"\xff\0\0" + b"btsnoop\0\0\0\0\1\0\0\7\xd1", bytes(24)))
        head = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        for block in (struct.pack("<III", 5, 12, 12), struct.pack("<IIHHII", 1, 20, 276, 0, 0, 20)):
            inputs.append(filled(b"\xff\0\0" + head, block))
    return inputs


def digits(data):
    """An input as it stands in a corpus: pieces in hexadecimal digits, each with the number of its repetitions if there are some."""
    pieces, begin, position = [], 0, 0
    while position < len(data):
        # The piece that saves most.
        saved, length, count = 0, 0, 0
        for period in range(1, 513):
            piece = data[position:position + period]
            times = 1
            while data[position + times * period:position + (times + 1) * period] == piece and len(piece) == period:
                times += 1
            if (times - 1) * period > saved:
                saved, length, count = (times - 1) * period, period, times
        if saved < 8:
            position += 1
            continue
        pieces += [data[begin:position].hex()] if begin < position else []
        pieces.append(f"{data[position:position + length].hex()}*{count}")
        position += length * count
        begin = position
    pieces += [data[begin:].hex()] if begin < len(data) else []
    return ",".join(pieces)


def from_digits(text):
    """The input that stands so in a corpus."""
    pieces = (piece.partition("*") for piece in text.split(","))
    return b"".join(bytes.fromhex(piece) * int(count or 1) for piece, _, count in pieces)


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def cxf_file():
    passkey = {"type": "passkey", "credentialId": "AQ", "rpId": "a.b", "username": "u", "userDisplayName": "U", "userHandle": "AQ",
               "key": base64url(bytes.fromhex(ED25519_KEY)), "fido2Extensions": {
                   "hmacCredentials": {"algorithm": "hmac-sha256", "credWithUV": "A" * 43, "credWithoutUV": "A" * 43},
                   "largeBlob": {"uncompressedSize": 3, "data": "AQ"}}}
    items = [{"id": "AQ", "creationAt": 1, "title": "t", "credentials": [passkey]}]
    return json.dumps({"version": {"major": 1, "minor": 0}, "accounts": [{"items": items}]}, separators=(",", ":"))


def cxf_account():
    return json.dumps(json.loads(cxf_file())["accounts"][0] | {"id": "AQ", "collections": []}, separators=(",", ":"))


def bitwarden_file():
    passkey = {"credentialId": "b64.AQ", "keyType": "public-key", "keyAlgorithm": "ECDSA", "keyCurve": "P-256",
               "keyValue": base64url(bytes.fromhex(P256_KEY)), "rpId": "a.b", "userHandle": "AQ", "counter": "0",
               "discoverable": "true", "creationDate": "2023-11-14T22:13:20.123Z"}
    return json.dumps({"encrypted": False, "items": [{"type": 1, "login": {"fido2Credentials": [passkey]}}]}, separators=(",", ":"))


def keepassxc_file():
    key = base64.b64encode(bytes.fromhex(ED25519_KEY)).decode()
    return json.dumps({"relyingParty": "a.b", "username": "u", "credentialId": "AQ", "userHandle": "AQ",
                       "privateKey": f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----\n"})


def enclosed(text, piece):
    """What stands around a piece, with the piece and what divides it from the next."""
    begin, end = text.encode().split(piece.encode())
    return begin, piece.encode() + (b"," if piece.startswith("{") else b""), (piece.encode() if piece.startswith("{") else b"") + end


def keepass_xml():
    key = base64.b64encode(bytes.fromhex(ED25519_KEY)).decode()
    strings = {"Title": "t", "KPEX_PASSKEY_CREDENTIAL_ID": "AQ", "KPEX_PASSKEY_USER_HANDLE": "AQ", "KPEX_PASSKEY_RELYING_PARTY": "a.b",
               "KPEX_PASSKEY_PRIVATE_KEY_PEM": f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"}
    entry = "".join(f"<String><Key>{name}</Key><Value>{value}</Value></String>" for name, value in strings.items())
    return f"<KeePassFile><Root><Group><UUID>AQ==</UUID><Entry>{entry}</Entry></Group></Root></KeePassFile>"


def kdbx_contents():
    fields = b"\1\4\0\0\0\3\0\0\0" + b"\2\x40\0\0\0" + bytes(64) + b"\0\0\0\0\0"
    return fields + keepass_xml().replace("<Value>t<", "<Value Protected='True'>AQ==<").encode()


def kdbx_parameters():
    entries = [(0x42, "$UUID", bytes.fromhex("9e298b1956db4773b23dfc3ec6f0a1e6")), (0x42, "S", bytes(32)), (4, "P", b"\2\0\0\0"),
               (5, "M", (1 << 26).to_bytes(8, "little")), (5, "I", b"\2" + bytes(7)), (4, "V", b"\x13\0\0\0")]
    return b"\0\1" + b"".join(
        bytes([kind]) + struct.pack("<I", len(name)) + name.encode() + struct.pack("<I", len(value)) + value
        for kind, name, value in entries) + b"\0"


# Files of many passkeys: what stands before them, one, and what stands behind.
LONG_FILES = {
    "cxf": enclosed(cxf_file(), json.dumps(json.loads(cxf_file())["accounts"][0]["items"][0], separators=(",", ":"))),
    "bitwarden": enclosed(bitwarden_file(), json.dumps(json.loads(bitwarden_file())["items"][0], separators=(",", ":"))),
    "keepass-xml": enclosed(keepass_xml(), keepass_xml()[keepass_xml().index("<Entry>"):keepass_xml().index("</Entry>") + 8]),
}
# The types that the target draws a signature from, and bodies that fit some signatures, little-endian.
BUS_TYPES = "ybnqiuxtdsoghvaaa(((){}{s"
BUS_BODIES = [
    ("us", "0100000002000000686900"),
    ("ay", "03000000010203"),
    ("a{sv}", "1000000000000000010000006b00017500000000" + "2a000000"),
    ("(ss)", "01000000610000000100000062" + "00"),
    ("ao", "07000000020000002f6f00"),
    ("v", "02617900000000000200000001" + "02"),
    ("a(oa{sv})", "180000000000000002000000" + "2f6f0000" + "0000000000000000"),
    ("ybnqiuxtd", "01000000" + "01000000" + "0200" + "0300" + "04000000" + "05000000" + "00000000" + "0600000000000000" * 3),
]
RECORDED = "Tests/CTAPTests/Fixtures/chromium-156.json"
RECORDED_FIELDS = {
    "ctap-request": [("request", "")],
    "ctap-response": [("response", "00"), ("getInfo", "01"), ("response", "02"), ("response", "03"), ("attestationObject", "04"),
                      ("authenticatorData", "05")],
}


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    index = next(index for index in range(4) if value < 1 << (8 << index))
    return bytes([major << 5 | 24 + index]) + value.to_bytes(1 << index, "big")


def cbor(value):
    """Canonical CBOR of the few types that are needed here."""
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, (bytes, str)):
        data = value.encode() if isinstance(value, str) else value
        return head(3 if isinstance(value, str) else 2, len(data)) + data
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    pairs = sorted((cbor(key), cbor(item)) for key, item in value.items())
    return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)


def credential_file(count):
    """Passkeys as a vault holds them, without the checksum, which the target makes."""
    entry = {1: b"\1" * 16, 2: "example.com", 3: "Example", 4: b"\2" * 8, 5: "alice", 6: "Alice", 7: True, 8: -7, 9: 32, 10: True,
             11: 1, 12: 1700000000, 13: 1700000001, 16: True, 17: False}
    header = {"format": "hybrid credential store", "version": 2, "credentials": [entry] * count}
    return cbor(header) + (b"\3" * 32 + b"\4" * 32) * count


def vault_file():
    """A vault with both locks, without the checksum."""
    locks = [{"kind": "keyring", "nonce": bytes(12), "key": bytes(48)},
             {"kind": "passphrase", "salt": bytes(32), "log-n": 15, "r": 8, "p": 1, "nonce": bytes(12), "key": bytes(48)}]
    return cbor({"format": "hybrid passkey vault", "version": 1, "id": bytes(16), "locks": locks, "nonce": bytes(12)}) + bytes(40)


def bus_message(signature, body):
    return bytes([len(signature), *(BUS_TYPES.index(character) for character in signature)]) + body


def captures():
    """Recorded captures, each with what stands before it: no QR secret, and the line of a key log, if there is one."""
    root = pathlib.Path(__file__).resolve().parents[2]
    for file in sorted(root.glob("tools/wireshark/captures/*")) + sorted(root.glob("Tests/CommandLineTests/Fixtures/captures/*")):
        if file.suffix not in (".btsnoop", ".pcapng"):
            continue
        log = file.with_suffix(".keys")
        lines = log.read_text().splitlines() if log.exists() else []
        line = next((line for line in lines if line.startswith("HYBRID_TRAFFIC_KEYS")), "").encode()
        yield file.read_bytes(), b"\0" + bytes([len(line)]) + line


def capture_packets(file):
    """The packets of a capture as the target draws them: link type, adapter, opcode, bytes behind their number."""
    packets, position = [], 16
    if file.startswith(b"btsnoop\0"):
        while position < len(file):
            _, count, flags = struct.unpack_from(">III", file, position)
            packets.append((0, flags >> 16 & 0xFF, flags & 0x7F, file[position + 24:position + 24 + count]))
            position += 24 + count
    else:
        position, kind = 0, 8
        while position < len(file):
            block, length = struct.unpack_from("<II", file, position)
            if block == 1:
                kind = {1: 8, 101: 9, 113: 10, 276: 11}[struct.unpack_from("<H", file, position + 8)[0]]
            elif block == 6:
                count, = struct.unpack_from("<I", file, position + 20)
                packets.append((kind, 0, 0, file[position + 28:position + 28 + count]))
            position += length
    return b"".join(
        bytes([kind, adapter, opcode]) + len(data).to_bytes(2, "big") + data for kind, adapter, opcode, data in packets
        if len(data) < 2048)


def vectors(layer):
    return cases(pathlib.Path(__file__).resolve().parents[2], layer)


def cases(root, layer):
    """The cases of a layer, of the field's or of one of this project's own."""
    folder = pathlib.Path(root) / "Vectors"
    file = next(file for file in (folder / f"{layer}.json", *folder.glob(f"*/{layer}.json")) if file.exists())
    return json.loads(file.read_text())["cases"]


def conversation(case):
    """A conversation with a security key, as the target draws it: time, reports, answers and changes of the status."""
    drawn, time = bytearray([case["input"]["can_wink"] | case["input"].get("max_waiting", 0) << 1]), 0
    for step in case["input"]["steps"]:
        if step["time"] > time:
            drawn += bytes([1]) + min(step["time"] - time, 699).to_bytes(2, "big")
            time = step["time"]
        if "report" in step:
            report = bytes.fromhex(step["report"])[:80]
            drawn += bytes([0, len(report)]) + report
        elif "response" in step:
            response = bytes.fromhex(step["response"])[:200]
            drawn += bytes([2, len(response)]) + response
        elif "status" in step:
            drawn += bytes([3, step["status"]])
        elif "closed" in step:
            drawn += bytes([5])
    return bytes(drawn)


def name(data):
    return hashlib.sha256(data).hexdigest()[:16]


def strings(value):
    """Every byte string in a case, and every other text as its bytes."""
    if isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, str):
        yield value.encode()
        try:
            yield bytes.fromhex(value)
        except ValueError:
            pass


def related_origins():
    """The lists of related origins that Chromium was asked about."""
    file = pathlib.Path(__file__).resolve().parents[2] / "Tests/WebAuthnClientTests/Fixtures/related-origins.json"
    return json.loads(file.read_text())["cases"]


def of(target, root):
    layers, choices = SOURCES.get(target, ([], []))
    found = set()
    for layer in layers:
        for case in cases(root, layer):
            found.update(strings([case["input"], case.get("expected")]))
    # A typed message's payload is a request or a response.
    if target.startswith("ctap"):
        found |= {data[1:] for data in found if data[:1] == b"\1"}
    inputs = set(HANDMADE.get(target, list)()) | set(long_inputs(target))
    inputs |= {bytes.fromhex(choice) + data for data in found if len(data) <= LONGEST for choice in choices}
    for session in json.loads((pathlib.Path(root) / RECORDED).read_text()):
        for field, choice in RECORDED_FIELDS.get(target, []):
            if session.get(field):
                # A response in the recording begins with its status.
                data = bytes.fromhex(session[field])
                inputs.add(bytes.fromhex(choice) + (data[1:] if choice in ("02", "03") else data))
    return sorted(inputs)
