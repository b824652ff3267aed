"""The model's terms as bytes: what the roles say, computed with real HKDF, AES and P-256, against the vectors, and as vectors."""
import hashlib
import hmac
import json
import pathlib
import re
import sys

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import protocol
import world
from terms import public

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/vectors"))
from reference import curve, linking, noise, secrets  # noqa: E402
# Purposes of KeyDerivation, and the lengths of what is derived.
PURPOSES = {"eid_key": (1, 64), "tunnel_id": (2, 16), "psk": (3, 32)}
CONSTANTS = {"none": b"", "one": b"\x01", "zero": b"\x00", "knpsk0": b"Noise_KNpsk0_P256_AESGCM_SHA256\x00",
             "nkpsk0": b"Noise_NKpsk0_P256_AESGCM_SHA256\x00"}


def _hmac(key, data):
    return hmac.digest(key, data, "sha256")


def hkdf(secret, salt, info, count):
    """RFC 5869."""
    key, block, result = _hmac(salt or bytes(32), secret), b"", b""
    for number in range(1, -(-count // 32) + 1):
        block = _hmac(key, block + info + bytes([number]))
        result += block
    return result[:count]


def _private(scalar):
    return ec.derive_private_key(int.from_bytes(scalar, "big"), ec.SECP256R1())


class Octets:
    """Bytes for terms: those of names and variables are given, the others follow."""

    def __init__(self, given):
        self.given = dict(given)

    def __call__(self, term):
        if term not in self.given:
            if isinstance(term, str):
                raise KeyError(term)
            name, *arguments = term
            self.given[term] = CONSTANTS[name] if name in CONSTANTS else getattr(self, f"_{name}")(*arguments)
        return self.given[term]

    def _public(self, x):
        return _private(self(x)).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def _agree(self, x, point):
        peer = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), self(point))
        return _private(self(x)).exchange(ec.ECDH(), peer)

    def _derive(self, purpose, secret, salt):
        number, count = PURPOSES[purpose[0]]
        return hkdf(self(secret), self(salt), number.to_bytes(4, "little"), count)

    def _seal(self, key, plaintext):
        cipher = Cipher(algorithms.AES(self(key)[:32]), modes.ECB()).encryptor()
        sealed = cipher.update(self(plaintext)) + cipher.finalize()
        return sealed + _hmac(self(key)[32:], sealed)[:4]

    def _hash(self, h, x):
        return hashlib.sha256(self(h) + self(x)).digest()

    def _tag(self, k, h):
        return AESGCM(self(k)).encrypt(bytes(12), b"", self(h))

    def _mac(self, k, h):
        return _hmac(self(k), self(h))

    def _part(self, ck, x, count, index):
        return hkdf(x, self(ck), b"", count)[32 * index: 32 * index + 32]

    def _chain(self, ck, x):
        return self._part(ck, self(x), 64, 0)

    def _key(self, ck, x):
        return self._part(ck, self(x), 64, 1)

    def _chain3(self, ck, x):
        return self._part(ck, self(x), 96, 0)

    def _temporary(self, ck, x):
        return self._part(ck, self(x), 96, 1)

    def _key3(self, ck, x):
        return self._part(ck, self(x), 96, 2)

    def _split1(self, ck):
        return self._part(ck, b"", 64, 0)

    def _split2(self, ck):
        return self._part(ck, b"", 64, 1)


class Trace:
    """What a role says and hears in an honest run, by the names that the vectors have for it."""

    def __init__(self, role, is_client):
        said = {way: [term for step, channel, term in role.steps if step == way and channel == "net" and not isinstance(term, str)]
                for way in ("send", "receive")}
        first, second = (said["send"], said["receive"]) if is_client else (said["receive"], said["send"])
        advert = self._one("seal", [term for _, channel, term in role.steps if channel.startswith("air")])
        self.terms = {
            "advert": (advert,), "eid_key": (advert[1],),
            "message_1": (self._one("public", first), self._one("tag", first)),
            "message_2": (self._one("public", second), self._one("tag", second)),
            "client_to_authenticator_key": (self._one("frame", first)[1],),
            "authenticator_to_client_key": (self._one("frame", second)[1],),
            "handshake_hash": (self._one("hash", [term for step, _, terms in role.steps if step == "event" for term in terms]),),
        }
        if any(term[0] == "derive" for term in said["send"]):
            self.terms["tunnel_id"] = (self._one("derive", said["send"]),)

    @staticmethod
    def _one(name, terms):
        return next(term for term in terms if not isinstance(term, str) and term[0] == name)

    def octets(self, given):
        """The bytes of all that the given ones make, in hexadecimal digits."""
        value = Octets(given)
        return {name: b"".join(map(value, terms)).hex() for name, terms in self.terms.items()}


W, V = world.World("code"), world.World("link")
Q, C, N = protocol.qr_secret("S"), protocol.static_key("S"), protocol.advert_nonce("A", protocol.qr_secret("S"))
SECRET, IDENTITY = protocol.link_secret(V, "B", "L"), protocol.identity_key("B")
LINK = protocol.link_id("L")
TRACES = {
    "session.client": Trace(protocol.client(W), True),
    "session.authenticator": Trace(protocol.authenticator(W, Q, public(C)), False),
    "session.linked-client": Trace(protocol.linked_client(V), True),
    "session.linked-authenticator": Trace(protocol.linked_authenticator(V), False),
}


def _given(case):
    """What a vector of a session gives to the names of the role."""
    values = {name: bytes.fromhex(value) for name, value in (case["expected"] | case["input"]).items()
              if isinstance(value, str) and re.fullmatch("([0-9a-f]{2})*", value)}
    e, other = values["ephemeral_private"], public("Y" if case["operation"].endswith("client") else "X")
    peer = {other: values["message_2" if "message_2" in case["input"] else "message_1"][:65]}
    match case["operation"]:
        case "session.client":
            return peer | {Q: values["secret"], C: values["static_private"], protocol.client_e("S"): e, "N": values["plaintext"]}
        case "session.authenticator":
            code = secrets.parse_url(case["input"]["url"])
            plaintext = b"\0" + values["advert_nonce"] + values["routing_id"] + case["input"]["domain_id"].to_bytes(2, "little")
            return peer | {Q: bytes.fromhex(code["secret"]), public(C): curve.uncompress(bytes.fromhex(code["public_key"])),
                           N: plaintext, protocol.authenticator_e("A", Q): e}
        case "session.linked-client":
            return peer | {SECRET: values["link_secret"], public(IDENTITY): values["authenticator_public"], "N": values["plaintext"],
                           protocol.link_nonce("S"): values["nonce"], protocol.linked_e("S"): e}
        case "session.linked-authenticator":
            nonce = linking.parse_request(values["payload"])["nonce"]
            return peer | {SECRET: values["link_secret"], IDENTITY: values["identity_private"], "V": nonce,
                           protocol.advert_nonce("A", LINK): values["plaintext"], protocol.authenticator_e("A", LINK): e}


def check_vectors():
    """Whether the roles say what the vectors have: the number of values compared, and what differs."""
    count, faults = 0, []
    for case in json.loads((ROOT / "Vectors/session.json").read_text())["cases"]:
        if case["result"] != "valid":
            continue
        known = case["expected"] | case["input"]
        for name, value in TRACES[case["operation"]].octets(_given(case)).items():
            if name in known:
                count += 1
                if known[name][:len(value)] != value:
                    faults.append(f"{case['id']}: {name} is {known[name]}, and the model's is {value}")
    for case in json.loads((ROOT / "Vectors/noise.json").read_text())["cases"]:
        if case["operation"] == "noise.handshake" and case["result"] == "valid":
            made = handshake(case["input"])
            count += len(made)
            faults += [f"{case['id']}: {name} is not the model's" for name, value in made.items() if case["expected"][name] != value]
    return count, faults


def handshake(given):
    """The model's handshake for the values of a vector noise.handshake, from both ends; they have to agree."""
    values = {name: bytes.fromhex(value) for name, value in given.items() if name != "pattern"}
    e, f, s, psk = (values[name] for name in ("initiator_ephemeral_private", "responder_ephemeral_private", "static_private", "psk"))
    if given["pattern"] == "KNpsk0":
        client, authenticator = TRACES["session.client"], TRACES["session.authenticator"]
        ours = {C: s, protocol.client_e("S"): e, protocol.preshared_key(W, Q, "N"): psk, Q: b"", "N": bytes(16)}
        theirs = {C: s, protocol.authenticator_e("A", Q): f, protocol.preshared_key(W, Q, N): psk, Q: b"", N: bytes(16)}
    else:
        client, authenticator = TRACES["session.linked-client"], TRACES["session.linked-authenticator"]
        plaintext = protocol.advert_nonce("A", LINK)
        ours = {IDENTITY: s, protocol.linked_e("S"): e, protocol.preshared_key(V, SECRET, "N"): psk, SECRET: b"", "N": bytes(16),
                protocol.link_nonce("S"): bytes(16)}
        theirs = {IDENTITY: s, protocol.authenticator_e("A", LINK): f, protocol.preshared_key(V, SECRET, plaintext): psk, SECRET: b"",
                  plaintext: bytes(16), "V": bytes(16)}
    one = client.octets(ours | {"Y": f})
    other = authenticator.octets(theirs | {"X": e})
    names = ("message_1", "message_2", "handshake_hash", "client_to_authenticator_key", "authenticator_to_client_key")
    if any(one[name] != other[name] for name in names):
        raise AssertionError("the two ends of the model do not agree")
    return {name: one[name] for name in names}


def write_vectors(folder, count=12):
    """Honest runs of the model with keys from a fixed seed, as vectors of both ends: for the program's own reader, and the reference."""
    cases = []
    for number in range(count):
        pattern = ("KNpsk0", "NKpsk0")[number % 2]
        draw = iter(hkdf(b"model", bytes([number]), b"", 128))
        given = {"pattern": pattern} | {name: bytes(next(draw) for _ in range(32)).hex() for name in (
            "psk", "static_private", "initiator_ephemeral_private", "responder_ephemeral_private")}
        made = handshake(given)
        cases.append(case("handshake", number, "HT-HS-1", given, made))
        public_key = {"static_public": Octets({"X": bytes.fromhex(given["static_private"])})(public("X")).hex()}
        secret_key = {"static_private": given["static_private"]}
        knows = (secret_key, public_key) if pattern == "KNpsk0" else (public_key, secret_key)
        result = {name: value for name, value in made.items() if not name.startswith("message")}
        common = {"pattern": pattern, "psk": given["psk"]}
        cases.append(case("respond", number, "HT-HS-12", common | knows[1] | {
            "ephemeral_private": given["responder_ephemeral_private"], "message_1": made["message_1"]},
            {"message_2": made["message_2"]} | result))
        cases.append(case("finish", number, "HT-HS-27", common | knows[0] | {
            "ephemeral_private": given["initiator_ephemeral_private"], "message_2": made["message_2"]}, result))
    folder.mkdir(parents=True, exist_ok=True)
    head = json.loads((ROOT / "Vectors/noise.json").read_text())
    (folder / "noise.json").write_text(json.dumps(head | {"cases": cases}, indent=2) + "\n")
    return cases


def judge(cases):
    """What the reference in Python says to the vectors of the model."""
    faults = []
    for each in cases:
        given = {name: value if name == "pattern" else bytes.fromhex(value) for name, value in each["input"].items()}
        pattern, psk, expected = given["pattern"], given["psk"], each["expected"]
        static = given.get("static_private"), given.get("static_public")
        if each["operation"] == "noise.respond":
            answer, keys = noise.answer(pattern, psk, static[0] or static[1], given["message_1"], given["ephemeral_private"])
            if {"message_2": answer.hex()} | keys != expected:
                faults.append(f"{each['id']}: the reference answers otherwise")
        elif each["operation"] == "noise.finish":
            public_key = static[1] or curve.public(static[0])
            _, state = noise.write_message_1(pattern, psk, public_key, given["ephemeral_private"])
            if noise.finish(pattern, state, given["ephemeral_private"], static[0], given["message_2"]) != expected:
                faults.append(f"{each['id']}: the reference finishes otherwise")
    return faults


def case(name, number, rule, given, expected):
    return {"id": f"model-{name}-{number}", "comment": "an honest run of the model", "operation": f"noise.{name}", "rule": rule,
            "certainty": "certain", "input": given, "result": "valid", "expected": expected}
