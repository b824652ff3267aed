"""Vectors/README.md: the prose is here, the tables come from tables.py, operations.py and the cases."""

import json
from collections import Counter

from operations import OPERATIONS
from tables import CERTAINTIES, FAILURES, FLAGS

INTRODUCTION = """\
# Test vectors for the FIDO hybrid transport

JSON for anybody's implementation of the hybrid transport (caBLE v2; CTAP 2.2 and 2.3, section 11.5): QR code,
tunnel domain, key schedule, advert, Noise handshakes, sealed frames, messages, and whole sessions, some of them
recorded from Chromium, linking, and sessions without a QR code; and for security keys on the USB bus (CTAPHID; section 11.2). One file a layer, one case one behaviour, and for
every refusal the *kind* of failure: an implementation that refuses for the wrong reason does not pass.

`hybrid vectors check [DIRECTORY]` runs them, or any directory of this format, against this project.

[passkey-exchange](passkey-exchange/README.md) has the vectors of a protocol of this project's own, which no other
implementation needs, and which are not counted here; [tunnel-service](tunnel-service/README.md) has the rules of
another.

Made by `tools/vector-generator/run` from nothing but a fixed seed: `tools/vector-generator/run --check Vectors` says
whether these files are its output, byte for byte. Since the answers are this project's own,
`tools/vectors/run --check` puts every case to a reference written in Python, which shares no code with the Swift
modules, holds every file against its schema, and both Noise patterns against the package `noiseprotocol`. This page and
the schemas are made by `tools/vectors/run`.

`tools/read-vectors` is one more reader, one file of Python that shares no code with either: a place to start for a
third.

As packages they need nothing of this project: `tools/vector-packages/run` makes a wheel with a plugin for pytest, a jar with
a runner, a Debian package, and sources for Cargo, Go and SwiftPM (its [README](../tools/vector-packages/README.md)).

Anyone may use, copy and change these vectors for any purpose; they are dedicated to the public domain (CC0 1.0).
The published numbers are facts from other projects' unit tests; each case names its `source`.
"""

PASSKEY_EXCHANGE = """\
# Test vectors of the hand-over of passkeys

A protocol of this project's own, by which passkeys go from one vault to another near it, over the secure channel of a
hybrid session. It is no part of CTAP, and no phone or browser speaks it. The rules are those of the article HandOver of
PasskeyExchange's documentation.

The format is that of [the field's vectors](../README.md), and `hybrid vectors check Vectors/passkey-exchange` runs
them. The same programs make and judge them.
"""

TUNNEL_SERVICE = """\
# Rules of the contact side of the tunnel service

A protocol of this project's own, by which a tunnel service wakes an authenticator for its linked clients. It is no part
of CTAP. The rules are those of the article ContactSide of TunnelService's documentation.

This folder has the rules alone, and hence no `index.json` and no schemas: [rules.json](rules.json) has the form of
[the field's](../schema/rules.schema.json). There are no vectors; RuleMatrix, beside the article, lists the cases of
`hybrid conformance` for each rule.
"""

EXAMPLE = "advert-open-reserved-01"

FORMAT = """\
## Version

`version` stands in every file. It rises when the format changes, an operation or a layer is added, or a case that was
there gets another meaning; new cases alone do not raise it. Version 2 added linking and state-assisted sessions:
nothing of version 1 changed. Version 3 added `rules.json`, and `rule` names one of its rules instead of a section. Version 4
added CTAPHID. Version 5 added the certainty `policy`, and `editions` to the rules.

## A case

| field | |
|---|---|
| `id` | unique over all files; it stays the same as long as the case does |
| `comment` | the subject of the case |
| `operation` | the operation's name; see below |
| `rule` | ID of the rule that the case is about; `rules.json` has its sentence |
| `certainty` | that of the rule; see below |
| `source` | where the number was published or recorded; absent for numbers made here |
| `flags` | see below; absent if there are none |
| `input` | the operation's inputs |
| `result` | `valid` or `invalid` |
| `expected` | only in valid cases: the required outputs |
| `failure` | only in invalid cases: the kind of refusal |

Byte strings are lower-case hex, numbers are JSON numbers, `null` means absent. A name with `?` may be missing. In the
operations on whole sessions an item of `frames` is either a `plaintext` that our side seals and sends, or a `frame`
that it receives and opens; `results` holds, in the same order, the frame or the plaintext that must come out. The
first frame from the authenticator holds the first message, which has no type byte.

An invalid case has one fault. Where an input could be refused for two reasons, the checks go from the outside in:
for a QR code prefix, characters, digit count, digit range, CBOR, type, length, value; for adverts and frames length,
tag, contents; for handshake messages length, point, tag. Several values of one failure are different cases.

The operations on sessions state all keys of a session, so that a single wrong step can be found: secrets, EID key, PSK,
handshake hash, traffic keys, and every frame with its plaintext. Ephemeral keys are inputs; an implementation that cannot
be given any can still do the layers below.

A checker should refuse a file whose layer or operation it does not know, rather than pass over it. Cases with the flag
`optional` belong to features that an implementation may lack altogether.
"""


def text(index, cases, rules):
    parts = [INTRODUCTION, counts(index), FORMAT, example(cases), operations(cases)]
    failures = Counter(c["failure"] for c in cases if "failure" in c) + Counter(dropped(cases))
    parts.append(table("Failure kinds", ("failure", "meaning", "without the refusal"), FAILURES, failures))
    flags = Counter(flag for c in cases for flag in c.get("flags", ()))
    parts.append(table("Flags", ("flag", "meaning", "to fail it means"), FLAGS, flags))
    parts.append(table("Certainty", ("certainty", "meaning"), CERTAINTIES, Counter(c["certainty"] for c in cases)))
    parts.append(rule_table(rules, Counter(c["rule"] for c in cases)))
    parts.append(sources(cases))
    return "\n".join(parts)


def passkey_exchange(index, cases, rules):
    """The page of the folder passkey-exchange."""
    failures = Counter(c["failure"] for c in cases if "failure" in c)
    flags = Counter(flag for c in cases for flag in c.get("flags", ()))
    return "\n".join([
        PASSKEY_EXCHANGE,
        counts(index),
        operations(cases),
        table("Failure kinds", ("failure", "meaning", "without the refusal"), FAILURES, failures),
        table("Flags", ("flag", "meaning", "to fail it means"), FLAGS, flags),
        rule_table(rules, Counter(c["rule"] for c in cases), "PasskeyExchange"),
    ])


def example(cases):
    case = next(case for case in cases if case["id"] == EXAMPLE)
    return "For instance:\n\n" + "\n".join("    " + line for line in json.dumps(case, indent=2).split("\n")) + "\n"


def counts(index):
    rows = [
        f"| [{r['file']}]({r['file']}) | {r['about']} | {r['cases']} | {r['valid']} | {r['invalid']} |"
        for r in index["files"]
    ]
    total = [sum(r[key] for r in index["files"]) for key in ("cases", "valid", "invalid")]
    rows.append(f"| all | | {total[0]} | {total[1]} | {total[2]} |")
    head = "## Files\n\n| file | about | cases | valid | invalid |\n|---|---|---|---|---|\n"
    return (
        head
        + "\n".join(rows)
        + "\n\n`index.json` has the same counts; `schema/` a JSON schema (2020-12) for each file.\n"
    )


def operations(cases):
    used = Counter(case["operation"] for case in cases)
    rows = []
    layers = {OPERATIONS[name][0] for name in used}
    for name, (layer, inputs, outputs, comment) in OPERATIONS.items():
        if layer not in layers:
            continue
        given, wanted = (
            ", ".join(f"`{n}` {kind}" for n, kind in fields.items()).replace("|", " or ")
            for fields in (inputs, outputs)
        )
        rows.append(f"| `{name}` | {comment} | {given} | {wanted} | {used[name]} |")
    return (
        "## Operations\n\n| operation | effect | input | expected | cases |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def dropped(cases):
    """The failures for which linking data is dropped in sessions that go on."""
    sessions = (c["expected"] for c in cases if c["operation"].startswith("session.") and "expected" in c)
    results = (result for expected in sessions for result in expected.get("linking", ()))
    return (result for result in results if result not in ("none", "verified"))


def table(title, columns, meanings, used):
    head = " | ".join((*columns, "cases"))
    rows = []
    for name, texts in meanings.items():
        if not used[name]:
            continue
        cells = (texts,) if isinstance(texts, str) else texts
        rows.append(f"| `{name}` | {' | '.join(cells)} | {used[name]} |")
    return f"## {title}\n\n| {head} |\n|{'---|' * (len(columns) + 1)}\n" + "\n".join(rows) + "\n"


def rule_table(rules, used, module="HybridProtocol"):
    rows = [f"| `{rule['id']}` | {rule['sentence']} | {used[rule['id']]} |" for rule in rules if used[rule["id"]]]
    return (
        "## Rules\n\nThose of `rules.json` that cases are about. Each has a strength (RFC 2119), a certainty, sources, and the article of\n"
        f"the protocol reference ({module}'s documentation) that explains it.\n\n| rule | sentence | cases |\n|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


def sources(cases):
    used = Counter(case["source"] for case in cases if "source" in case)
    rows = [f"| {source} | {count} |" for source, count in sorted(used.items())]
    made = sum("source" not in case for case in cases)
    return "## Sources\n\n| source | cases |\n|---|---|\n" + "\n".join(rows) + f"\n| made here | {made} |\n"
