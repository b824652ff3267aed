#!/usr/bin/env python3
"""Makes Generated/hmac_sha256_test.json: HMAC-SHA-256 cases in the format of Wycheproof's mac_test_schema_v1, computed by Python's hmac.

    generate-hmac.py           writes the file
    generate-hmac.py --check   fails if the file is not what would be written
"""
import hashlib
import hmac
import json
import pathlib
import sys

FILE = pathlib.Path(__file__).parent / "Generated/hmac_sha256_test.json"
TAG_BITS = 256
BLOCK = 64
KEY_SIZES = [0, 1, 16, 20, 31, 32, 33, 63, 64, 65, 128, 131]
MESSAGE_SIZES = [0, 1, 2, 16, 32, 55, 56, 63, 64, 65, 119, 120, 128, 1000]
SHORT_TAG_BITS = [8, 32, 64, 128, 248]
NOTES = {
    "Pseudorandom": "Keys and messages of every length around the block and the padding of SHA-256.",
    "ModifiedTag": "The tag has a flipped bit, or is another tag altogether.",
    "TruncatedTag": "The tag is the beginning of the whole one.",
    "WrongLength": "The tag is empty, or longer than the whole one.",
    "ModifiedMessage": "The tag belongs to another message.",
    "ModifiedKey": "The tag was made under another key.",
    "KeyPadding": "A key and the same key with zeros behind it, up to a block, are the same key; a key beyond a block is its hash.",
}


def noise(label, size):
    """Bytes that follow from a label."""
    return hashlib.shake_256(label.encode()).digest(size)


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def changed(tag, at):
    return bytes(byte ^ (0x80 >> at % 8 if index == at // 8 else 0) for index, byte in enumerate(tag))


class Cases:
    def __init__(self):
        self.groups = {}
        self.count = 0

    def add(self, comment, flag, key, message, tag, result, tag_bits=TAG_BITS):
        self.count += 1
        group = self.groups.setdefault((len(key) * 8, tag_bits), [])
        group.append({"tcId": self.count, "comment": comment, "flags": [flag], "key": key.hex(), "msg": message.hex(),
                      "tag": tag.hex(), "result": result})


def cases():
    made = Cases()
    for key_size in KEY_SIZES:
        key = noise(f"key {key_size}", key_size)
        for size in MESSAGE_SIZES:
            message = noise(f"message {size}", size)
            made.add(f"{size} bytes", "Pseudorandom", key, message, mac(key, message), "valid")
    key, message = noise("key", 32), noise("message", 24)
    whole = mac(key, message)
    for bit in (0, 1, 7, 8, 31, 63, 64, 71, 127, 128, 248, 255):
        made.add(f"flipped bit {bit}", "ModifiedTag", key, message, changed(whole, bit), "invalid")
    for comment, tag in [("all zeros", bytes(32)), ("all ones", b"\xff" * 32), ("inverted", bytes(b ^ 0xFF for b in whole)),
                         ("halves exchanged", whole[16:] + whole[:16]), ("reversed", whole[::-1]),
                         ("SHA-256 of key and message", hashlib.sha256(key + message).digest()),
                         ("SHA-256 of message and key", hashlib.sha256(message + key).digest())]:
        made.add(comment, "ModifiedTag", key, message, tag, "invalid")
    for bits in SHORT_TAG_BITS:
        short = whole[:bits // 8]
        made.add(f"first {bits} bits", "TruncatedTag", key, message, short, "valid", bits)
        made.add(f"first {bits} bits, the last flipped", "ModifiedTag", key, message, changed(short, bits - 1), "invalid", bits)
        made.add(f"last {bits} bits", "ModifiedTag", key, message, whole[-bits // 8:], "invalid", bits)
    made.add("no tag", "WrongLength", key, message, b"", "invalid", 0)
    made.add("a byte behind the tag", "WrongLength", key, message, whole + b"\0", "invalid", 264)
    made.add("the tag twice", "WrongLength", key, message, whole + whole, "invalid", 512)
    for comment, other in [("a byte less", message[:-1]), ("a zero byte more", message + b"\0"), ("nothing", b""),
                           ("a flipped bit", changed(message, 0))]:
        made.add(f"the message has {comment}", "ModifiedMessage", key, other, whole, "invalid")
    for comment, other in [("a byte less", key[:-1]), ("a flipped bit", changed(key, 255)), ("a one byte more", key + b"\1")]:
        made.add(f"the key has {comment}", "ModifiedKey", other, message, whole, "invalid")
    made.add("zeros behind the key", "KeyPadding", key + bytes(BLOCK - len(key)), message, whole, "valid")
    made.add("a zero behind a whole block", "KeyPadding", key + bytes(BLOCK + 1 - len(key)), message, whole, "invalid")
    long = noise("long key", BLOCK + 1)
    made.add("the hash of a long key", "KeyPadding", hashlib.sha256(long).digest(), message, mac(long, message), "valid")
    made.add("the first block of a long key", "KeyPadding", long[:BLOCK], message, mac(long, message), "invalid")
    return made


def text():
    made = cases()
    groups = [{"type": "MacTest", "source": {"name": "generate-hmac.py", "version": "1"}, "keySize": key_bits, "tagSize": tag_bits,
               "tests": tests} for (key_bits, tag_bits), tests in sorted(made.groups.items())]
    return json.dumps({"algorithm": "HMACSHA256", "schema": "mac_test_schema_v1.json", "numberOfTests": made.count,
                       "header": ["Not of Wycheproof's: made by generate-hmac.py."],
                       "notes": {flag: {"bugType": "BASIC", "description": text} for flag, text in NOTES.items()},
                       "testGroups": groups}, indent=1) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if FILE.read_text() != text():
            sys.exit("generate-hmac.py: the committed file is another one")
        print(f"{cases().count} cases, as they are committed")
        sys.exit()
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text())
