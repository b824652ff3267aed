"""How a case is written down; see Vectors/README.md for what the fields mean."""

import re

from operations import OPERATIONS
from tables import CERTAINTIES, FAILURES, FLAGS, RULES


class Layer:
    """The cases of one file."""

    def __init__(self, name, prefix, about):
        self.name, self.prefix, self.about = name, prefix, about
        self.cases = []

    def valid(self, slug, comment, rule, operation, given, expected, **more):
        self._add(slug, comment, rule, operation, given, {"result": "valid", "expected": expected}, more)

    def invalid(self, slug, comment, rule, operation, given, failure, **more):
        assert failure in FAILURES, failure
        self._add(slug, comment, rule, operation, given, {"result": "invalid", "failure": failure}, more)

    def _add(self, slug, comment, rule, operation, given, outcome, more):
        layer, inputs, outputs, _ = OPERATIONS[operation]
        case_id = f"{self.prefix}-{slug}"
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", case_id), case_id
        assert layer == self.name and rule in RULES, (case_id, layer, rule)
        required = {name for name in inputs if not name.endswith("?")}
        assert required <= set(given) <= {name.rstrip("?") for name in inputs}, (case_id, given.keys())
        if outcome["result"] == "valid":
            wanted = {name for name in outputs if not name.endswith("?")}
            allowed = {name.rstrip("?") for name in outputs}
            assert wanted <= set(outcome["expected"]) <= allowed, (case_id, outcome["expected"].keys())
        certainty = more.pop("certainty", "certain")
        flags, source = list(more.pop("flags", ())), more.pop("source", None)
        assert not more and certainty in CERTAINTIES and all(flag in FLAGS for flag in flags), (case_id, more, flags)
        case = {"id": case_id, "comment": comment, "operation": operation, "rule": rule, "certainty": certainty}
        if source:
            case["source"] = source
        if flags:
            case["flags"] = flags
        self.cases.append(case | {"input": hexed(given)} | hexed(outcome))


def hexed(value):
    """JSON has no bytes: they become lower-case hex."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    if isinstance(value, dict):
        return {key: hexed(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [hexed(item) for item in value]
    return value


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def flipped(data, bit):
    """The bytes with one bit turned over; bit 0 is the lowest of the first byte."""
    out = bytearray(data)
    out[bit // 8] ^= 1 << (bit % 8)
    return bytes(out)
