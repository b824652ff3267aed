#!/usr/bin/env python3
"""Makes what explains the vectors: Vectors/README.md and the JSON schemas.

    tools/vectors/run          writes them
    tools/vectors/run --check  says whether the committed ones are what this makes, and exits with 1 if not

The cases themselves are made by `tools/vector-generator/run`. The words that they may use stand in tables.py and
operations.py; a case that uses another one is refused here.
"""

import argparse
import json
import sys

import readme
import schema
import vectors
from operations import LAYERS
from tables import CERTAINTIES


def texts():
    """The text of every file that is made here, by its path below Vectors/."""
    schemas = {name: schema.of_layer(name) for name in LAYERS} | {"index": schema.of_index(), "rules": schema.of_rules()}
    out = {
        f"schema/{name}.schema.json": json.dumps(value, indent=1, ensure_ascii=True) + "\n"
        for name, value in schemas.items()
    }
    return out | {"README.md": readme.text(vectors.index(), vectors.cases(), vectors.rules())}


def faults():
    """What the tables do not know, and files that nobody makes."""
    index, cases = vectors.index(), vectors.cases()
    if tuple(row["layer"] for row in index["files"]) != LAYERS:
        yield "index.json names other layers than operations.py"
    rules = {rule["id"] for rule in vectors.rules()}
    for case in cases:
        if case["rule"] not in rules or case["certainty"] not in CERTAINTIES:
            yield f"{case['id']}: a rule that rules.json or a certainty that tables.py does not have"
    known = {row["file"] for row in index["files"]} | {"index.json", "rules.json"} | set(texts())
    present = {str(path.relative_to(vectors.DIRECTORY)) for path in vectors.DIRECTORY.rglob("*") if path.is_file()}
    for name in sorted(present - known):
        yield f"{name} is made by nobody"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    options = parser.parse_args()
    wrong = list(faults())
    for name, text in texts().items():
        path = vectors.DIRECTORY / name
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(f"{name} is not what this makes")
    for line in wrong:
        print(f"describe: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
