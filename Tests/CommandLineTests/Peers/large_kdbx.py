"""Writes a KDBX 4 file of so many MiB of XML that compression makes small, in texts of so many, has a program read it, and prints what
that said, its exit code, and whether it held the XML once: large_kdbx.py FILE PASSPHRASE MIB TEXT-MIB PROGRAM WORD….
"""
import hashlib
import hmac
import resource
import struct
import subprocess
import sys
import zlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

MIB = 1 << 20
# A program without a file holds that much, and the measure has to do with pages.
REST = 32 * MIB


def field(number, value):
    return struct.pack("<BI", number, len(value)) + value


def entry(kind, name, value):
    return struct.pack("<BI", kind, len(name)) + name + struct.pack("<I", len(value)) + value


def encrypt(key, mode, data):
    encryptor = Cipher(algorithms.AES(key), mode).encryptor()
    return encryptor.update(data) + encryptor.finalize()


def compressed(size, text):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = packer.compress(field(1, struct.pack("<I", 3)) + field(2, bytes(64)) + field(0, b"")
                          + b"<KeePassFile><Root><Group><Entry>")
    for _ in range(size // text):
        out += packer.compress(b"<String><Key>Notes</Key><Value>")
        for _ in range(text // MIB):
            out += packer.compress(b"a" * MIB)
        out += packer.compress(b"</Value></String>")
    out += packer.compress(b"</Entry></Group></Root></KeePassFile>") + packer.flush()
    padding = 16 - len(out) % 16
    return out + bytes([padding]) * padding


def file(passphrase, contents):
    seed = bytes(32)
    derivation = (b"\0\1" + entry(0x42, b"$UUID", bytes.fromhex("7c02bb8279a74ac0927d114a00648238"))
                  + entry(0x42, b"S", seed) + entry(0x05, b"R", struct.pack("<Q", 1)) + b"\0")
    header = (bytes.fromhex("03d9a29a67fb4bb5") + struct.pack("<HH", 0, 4)
              + field(2, bytes.fromhex("31c1f2e6bf714350be5805216afc5aff")) + field(3, struct.pack("<I", 1)) + field(4, seed)
              + field(7, bytes(16)) + field(11, derivation) + field(0, b"\r\n\r\n"))
    transformed = encrypt(seed, modes.ECB(), hashlib.sha256(hashlib.sha256(passphrase).digest()).digest())
    derived = seed + hashlib.sha256(transformed).digest()
    cipher, codes = hashlib.sha256(derived).digest(), hashlib.sha512(derived + b"\1").digest()

    def code(index, data):
        return hmac.new(hashlib.sha512(struct.pack("<Q", index) + codes).digest(), data, hashlib.sha256).digest()

    blocks = [encrypt(cipher, modes.CBC(bytes(16)), contents), b""]
    return header + hashlib.sha256(header).digest() + code(2**64 - 1, header) + b"".join(
        code(index, struct.pack("<QI", index, len(block)) + block) + struct.pack("<I", len(block)) + block
        for index, block in enumerate(blocks))


size, text = (int(word) * MIB for word in sys.argv[3:5])
data = file(sys.argv[2].encode(), compressed(size, text))
with open(sys.argv[1], "wb") as out:
    out.write(data)
print(len(data), "bytes")
ended = subprocess.run(sys.argv[5:], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
print(ended.stderr, end="")
held = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
print(ended.returncode, "held once" if held < size + size // 2 + REST else f"held {held} bytes")
