"""See tools/wireshark/run."""

import argparse
import difflib
import random
import sys
import tempfile
from pathlib import Path

import exports
import hostile
import inspection
import made
import sharks

FOLDER = Path(__file__).resolve().parent
CAPTURES = FOLDER / "captures"
SESSIONS = FOLDER.parent / "vectors" / "sources"
SHOWN_DIFFERENCES = 40


def compare(path, arguments):
    """Whether what is shown of a capture is what is expected."""
    shown = "\n".join(sharks.lines(path, dissector=arguments.dissector)) + "\n"
    expected = CAPTURES / (path.name + ".txt")
    if arguments.write:
        expected.write_text(shown)
    if not expected.exists():
        raise sharks.Failed(f"{expected.name} is missing. hint: tools/wireshark/run --write")
    if shown == expected.read_text():
        return shown.count("\n    FIDO hybrid transport")
    difference = difflib.unified_diff(
        expected.read_text().splitlines(), shown.splitlines(), "expected", "shown", lineterm="", n=1
    )
    shown_difference = "\n".join(f"    {line}" for line in list(difference)[:SHOWN_DIFFERENCES])
    raise sharks.Failed(f"{path.name} is not shown as expected:\n{shown_difference}")


def main():
    parser = argparse.ArgumentParser(prog="tools/wireshark/run")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--hybrid")
    parser.add_argument("--dissector", type=Path, default=FOLDER / "hybrid.lua")
    arguments = parser.parse_args()
    recorded = sorted(path for path in CAPTURES.iterdir() if path.suffix in (".btsnoop", ".pcapng"))
    failures = []

    def step(name, action):
        try:
            print(f"ok    {name}: {action()}", flush=True)
        except sharks.Failed as error:
            failures.append(name)
            print(f"FAIL  {name}: {error}", flush=True)

    with tempfile.TemporaryDirectory(prefix="hybrid-wireshark-") as folder:
        captures, attacks = Path(folder, "captures"), Path(folder, "hostile")
        captures.mkdir()
        attacks.mkdir()
        made.make(captures)
        for session in sorted(SESSIONS.glob("*.json")):
            exports.write(captures / f"{session.stem}.pcapng", exports.recorded_session(session))
        for path in [*recorded, *sorted(captures.iterdir())]:
            step(path.name, lambda path=path: f"{compare(path, arguments)} items as expected")
        # inspect reads no TLS.
        for path in [path for path in recorded if arguments.hybrid and path.name != "tls.pcapng"]:
            step(f"inspect {path.name}", lambda path=path: inspection.compare(arguments.hybrid, path, Path(folder)))
        print(f"seed {arguments.seed}", flush=True)
        for path in hostile.make(attacks, arguments.seed, recorded):
            step(
                f"hostile {path.name}", lambda path=path: f"no error, {hostile.check(path, arguments.dissector):.1f} s"
            )
    if failures:
        sys.exit(f"check: {len(failures)} failed")


main()
