#!/usr/bin/env python3
"""Makes Vectors/: the test vectors, their index, their schemas and their README.

    generate.py              write the files
    generate.py --check      say whether the committed files are what this makes; exit 1 if not
    generate.py --self-check run every case against the reference and the schemas, and Noise against noiseprotocol

Needs Python 3.11 and `cryptography`; --self-check also `jsonschema` and `noiseprotocol`.
The output depends on nothing but these sources: no clock, no randomness.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import readme
import schema
from cases import (
    advert,
    cbor_layer,
    key_schedule,
    l2cap,
    linking,
    message,
    noise,
    published,
    qr_contents,
    qr_digits,
    session,
    transport,
    tunnel_domain,
)
from operations import LAYERS

VERSION = 2
TARGET = HERE.parent.parent / "Vectors"


def layers():
    modules = (
        qr_digits,
        qr_contents,
        tunnel_domain,
        key_schedule,
        advert,
        cbor_layer,
        noise,
        transport,
        message,
        linking,
        session,
        l2cap,
    )
    built = [module.build() for module in modules]
    published.add(built)
    assert tuple(layer.name for layer in built) == LAYERS
    ids = [case["id"] for layer in built for case in layer.cases]
    twice = {i for i in ids if ids.count(i) > 1}
    assert not twice, twice
    return built


def text_of(value):
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"


def files():
    """Every file under Vectors/, by its relative path."""
    out, rows = {}, []
    for layer in layers():
        name = f"{layer.name}.json"
        out[name] = text_of(
            {
                "$schema": f"schema/{layer.name}.schema.json",
                "layer": layer.name,
                "version": VERSION,
                "about": layer.about,
                "cases": layer.cases,
            }
        )
        valid = sum(case["result"] == "valid" for case in layer.cases)
        rows.append(
            {
                "file": name,
                "layer": layer.name,
                "about": layer.about,
                "cases": len(layer.cases),
                "valid": valid,
                "invalid": len(layer.cases) - valid,
            }
        )
        out[f"schema/{layer.name}.schema.json"] = text_of(schema.of_layer(layer.name))
    index = {
        "$schema": "schema/index.schema.json",
        "version": VERSION,
        "cases": sum(row["cases"] for row in rows),
        "files": rows,
    }
    out["schema/index.schema.json"] = text_of(schema.of_index())
    out["index.json"] = text_of(index)
    out["README.md"] = readme.text(index, layers())
    return out


def check(wanted):
    present = {str(p.relative_to(TARGET)) for p in TARGET.rglob("*") if p.is_file()}
    wrong = [name for name, text in wanted.items() if name not in present or (TARGET / name).read_text() != text]
    wrong += sorted(present - set(wanted))
    for name in wrong:
        print(f"generate: {name} is not what the generator makes", file=sys.stderr)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    parser.add_argument("--self-check", action="store_true", help="run the cases against the reference")
    options = parser.parse_args()
    wanted = files()
    good = True
    if options.check:
        good = check(wanted)
    if options.self_check:
        import self_check

        good = self_check.run(wanted) and good
    if not (options.check or options.self_check):
        for name, text in wanted.items():
            (TARGET / name).parent.mkdir(parents=True, exist_ok=True)
            (TARGET / name).write_text(text)
    print(f"generate: {json.loads(wanted['index.json'])['cases']} cases in {len(LAYERS)} files", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
