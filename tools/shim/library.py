#!/usr/bin/env python3
"""The reference as a shim of `hybrid-conformance vectors check --shim`: every operation, and no role."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vectors"))

from reference import Refused
from self_check import RUN, hexed


def answer(line):
    if line["operation"] not in RUN:
        return {"type": "unsupported"}
    try:
        return {"type": "result", "output": hexed(RUN[line["operation"]](line["input"]))}
    except Refused as refusal:
        return {"type": "error", "kind": refusal.kind, "reason": str(refusal)}


if __name__ == "__main__":
    print(json.dumps({"type": "hello", "shim": 1, "name": "reference", "operations": sorted(RUN)}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
