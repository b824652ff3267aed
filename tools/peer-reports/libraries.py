"""Shims of foreign libraries run the vectors, and what comes of each is held against what is known of it."""
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "shims"
ROOT = HERE.parents[2]
PYTHON = ROOT / ".build-peers/bin/python3"


def known(library):
    """Vectors on which a library is known to fail, each with the reason."""
    lines = (HERE / f"{library}.known").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines if line and not line.startswith("#"))


def check(runner, library, *arguments):
    """Counts of a run, and the vectors that failed, each with what was said of it."""
    command = [runner, "vectors", "check", "Vectors", "--json", "--shim", "--", PYTHON, "-B", HERE / f"{library}.py", *arguments]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    events = [json.loads(line) for line in told.stdout.splitlines()]
    counts = next((event for event in events if event["event"] == "result"), None)
    if counts is None:
        sys.exit(f"peer-reports: error: {library} has no result: {(told.stdout + told.stderr)[-500:]}")
    return counts, {event["id"]: event["reason"] for event in events if event["event"] == "failed"}


def faults(failed, expected):
    """What is not as it is known, in words."""
    return [f"{name}: {failed[name]}" for name in failed if name not in expected] + [
        f"{name}: it is known to fail ({expected[name]}), and does not" for name in expected if name not in failed]


def run(runner):
    """Runs every library whose known failures are kept here, and one that is wrong."""
    for path in sorted(HERE.glob("*.known")):
        counts, failed = check(runner, path.stem)
        if wrong := faults(failed, known(path.stem)):
            sys.exit("\n".join([*wrong, f"peer-reports: error: {path.stem} is not as {path.name} has it"]))
        print(f"ok    {path.stem}: {counts['passed']} passed, {len(failed)} known, {counts['not_offered']} not offered", flush=True)
    if not faults(check(runner, "python_cbor2", "wrong")[1], known("python_cbor2")):
        sys.exit("peer-reports: error: a wrong library passes")
    print("ok    a wrong library is noticed")
