"""The test vectors of the FIDO hybrid transport, for tests of an implementation in Python.

`cases()` has each case as a `Case`; `check(case, function)` says what is wrong with an implementation of its operation. With pytest the
plugin does both: see `hybrid_transport_vectors.plugin`.
"""
import dataclasses
import functools
import importlib.resources
import json

DATA = importlib.resources.files(__name__) / "data"


class Refused(Exception):
    """What an implementation raises for an input that it refuses; its text, if there is one, is the kind of failure."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One case: its text as it stands in the file, and its input and what is expected with bytes in the place of hexadecimal digits."""
    text: dict
    input: dict
    expected: dict | None

    def __getattr__(self, name):
        return self.text.get(name)


def read(name):
    """A file of the vectors, for instance `rules.json`."""
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def version():
    """The version of the format of the vectors, which stands in each file."""
    return read("index.json")["version"]


@functools.cache
def kinds():
    """The fields of each operation's input and output that are hexadecimal digits."""
    return {operation: {part: frozenset(names) for part, names in parts.items()} for operation, parts in read("kinds.json").items()}


def decoded(value, operation, part, name=""):
    if isinstance(value, dict):
        return {key: decoded(item, operation, part, key) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item, operation, part, name) for item in value]
    return bytes.fromhex(value) if isinstance(value, str) and name in kinds()[operation][part] else value


@functools.cache
def cases():
    """All cases, in the order of their files."""
    return tuple(Case(text, decoded(text["input"], text["operation"], "input"),
                      decoded(text["expected"], text["operation"], "expected") if "expected" in text else None)
                 for row in read("index.json")["files"] for text in read(row["file"])["cases"])


def check(case, function):
    """What is wrong with what a function makes of a case's input, which it gets by name; None if nothing is.

    It returns a dictionary with at least what is expected, or that value alone where one is expected, or raises. To refuse is `Refused`
    with the kind of failure as its text; without a text, or if it is another exception named in `refusals`, any refusal will do.
    """
    try:
        found = function(**case.input)
    except Refused as refusal:
        if case.expected is not None:
            return f"it is refused: {refusal}"
        return None if str(refusal) in ("", case.failure) else f"it is refused as {refusal}, not as {case.failure}"
    if case.expected is None:
        return f"it is taken, and should be refused as {case.failure}"
    if not isinstance(found, dict) and len(case.expected) == 1:
        found = {next(iter(case.expected)): found}
    wrong = [name for name, value in case.expected.items() if not same(found.get(name), value, case, name)]
    return f"another {', '.join(wrong)}" if wrong else None


def same(found, expected, case, name):
    # The hexadecimal digits of a tunnel's URL mean the same in either case: all behind wss://HOST/cable/VERB/.
    if name == "url" and case.operation in ("tunnel.new-url", "tunnel.connect-url") and isinstance(found, str):
        return found.split("/")[:5] == expected.split("/")[:5] and found.lower() == expected.lower()
    return type(found) is type(expected) and found == expected
