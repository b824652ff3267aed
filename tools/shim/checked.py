"""Holds the lines between a shim and the runner against the schema: checked.py SHIM [ARGUMENT…]. A line that is not as the
schema has it ends the shim."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "Vectors/schema/shim.schema.json").read_text())


def carry(name, source, target, end):
    valid = Draft202012Validator(SCHEMA | {"anyOf": [{"$ref": f"#/$defs/{name}"}]})
    for line in source:
        for error in valid.iter_errors(json.loads(line)):
            print(f"checked: a line of the {name}: {error.message[:200]}", file=sys.stderr, flush=True)
            os._exit(1)
        target.write(line)
        target.flush()
    end()


if __name__ == "__main__":
    shim = subprocess.Popen([sys.executable, "-B", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hearing = (carry, ("runner", sys.stdin.buffer, shim.stdin, shim.stdin.close))
    threading.Thread(target=hearing[0], args=hearing[1], daemon=True).start()
    carry("shim", shim.stdout, sys.stdout.buffer, lambda: None)
    # Nothing waits for what the runner may still say.
    os._exit(shim.wait())
