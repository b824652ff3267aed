"""The reference's adverts as a shim of operations: one mistake, refusals without a kind, no nonce, and nothing else."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/shim"))

import library
from reference import secrets

right = secrets.parse_plaintext


def unreserved(plaintext, linked=False):
    return right(plaintext[:0] + b"\0" + plaintext[1:], linked) | {"plaintext": plaintext.hex()}


if __name__ == "__main__":
    secrets.parse_plaintext = unreserved
    print(json.dumps({"type": "hello", "shim": 1, "name": "wrong", "operations": ["advert.open", "domain.name"]}), flush=True)
    for line in map(json.loads, sys.stdin):
        if line["operation"] == "domain.name" and line["input"]["id"] == 0:
            os._exit(1)
        answer = library.answer(line)
        answer.pop("kind", None)
        answer.get("output", {}).pop("nonce", None)
        print(json.dumps(answer), flush=True)
