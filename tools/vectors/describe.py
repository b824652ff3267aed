#!/usr/bin/env python3
"""Makes the descriptions of the vectors: each README.md in Vectors, and the JSON schemas.

    tools/vectors/run          writes them
    tools/vectors/run --check  says whether the committed ones are its output, and exits with 1 if not

The cases themselves are made by `tools/vector-generator/run`. The words that they may use stand in tables.py and
operations.py; a case that uses another one is refused here.
"""

import argparse
import json
import sys

import readme
import schema
import shim_schema
import vectors
from operations import FIELD, LAYERS, PASSKEY_EXCHANGE
from tables import CERTAINTIES

# Made by tools/trace.
RULES = {"rules.json", "passkey-exchange/rules.json", "tunnel-service/rules.json"}


def texts():
    """The text of every file that is made here, by its path below Vectors/."""
    out = {"schema/rules.schema.json": schema.of_rules(), "schema/shim.schema.json": shim_schema.schema()}
    for folder, layers in LAYERS.items():
        schemas = {name: schema.of_layer(name, folder) for name in layers} | {"index": schema.of_index(folder)}
        out |= {below(folder, f"schema/{name}.schema.json"): value for name, value in schemas.items()}
    out = {name: json.dumps(value, indent=1, ensure_ascii=True) + "\n" for name, value in out.items()}
    pages = {FIELD: readme.text, PASSKEY_EXCHANGE: readme.passkey_exchange}
    return out | {"tunnel-service/README.md": readme.TUNNEL_SERVICE} | {
        below(folder, "README.md"): page(vectors.index(folder), vectors.cases(folder), vectors.rules(folder))
        for folder, page in pages.items()
    }


def below(folder, name):
    return f"{folder}/{name}" if folder else name


def faults():
    """What the tables do not know, and files that nobody makes."""
    known = set(texts()) | RULES
    for folder, layers in LAYERS.items():
        rows = vectors.index(folder)["files"]
        if tuple(row["layer"] for row in rows) != layers:
            yield f"{below(folder, 'index.json')} names other layers than operations.py"
        rules = {rule["id"]: rule["certainty"] for rule in vectors.rules(folder)}
        for case in vectors.cases(folder):
            if case["certainty"] != rules.get(case["rule"]) or case["certainty"] not in CERTAINTIES:
                yield f"{case['id']}: its certainty is not that of a rule of rules.json, or tables.py does not have it"
        known |= {below(folder, name) for name in ("index.json", *(row["file"] for row in rows))}
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
