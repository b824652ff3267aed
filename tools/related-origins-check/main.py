"""Holds what `hybrid` says of related origins against what Chromium says, for the same files.

    main.py                 asks both, and compares: with each other, and with what was recorded
    main.py --recorded      asks `hybrid` alone, and compares with what was recorded
    main.py --write         records what Chromium says

`related-origins-check --suffixes` holds our reading of the public suffix list against libpsl's instead.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

import server

CASES = pathlib.Path(__file__).resolve().parents[2] / "Tests/WebAuthnClientTests/Fixtures/related-origins.json"
# The words of the cases for our error codes. Sign-in comes to its first passkey only if the origin was taken.
CODES = {
    "unknown-credential": "accepted", "related-origins-unavailable": "fetch", "related-origins-content-type": "content-type",
    "related-origins-malformed": "malformed", "related-origins-over-limit": "over-limit", "origin-not-listed": "not-listed",
}
TIMEOUT = 60


def ours(folder, site, case):
    """What `hybrid` says of a case."""
    run = subprocess.run([
        os.environ.get("HYBRID", "hybrid"), "client", "sign-in", "--json", "--rp-id", case["rp_id"], "--origin", case["origin"],
        "--related-origins", f"https://localhost:{site.tls_port}{server.FILE}", "--ca", str(site.authority),
        "--state", str(pathlib.Path(folder) / "none.json"),
    ], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    errors = [line for line in map(json.loads, run.stdout.splitlines()) if line["event"] == "error"]
    return CODES.get(errors[0]["code"], run.stdout) if errors else run.stdout + run.stderr


def names(cases):
    """Every host of the cases."""
    hosts = {"localhost", "example.com", "www.example.com", "other.example", "example.co.uk"}
    return hosts | {case["rp_id"] for case in cases} | {urlsplit(case["origin"]).hostname for case in cases}


def text(document):
    """The document with a case a line."""
    lines = ",\n".join("    " + json.dumps(case, ensure_ascii=False) for case in document["cases"])
    head = {key: value for key, value in document.items() if key != "cases"}
    return json.dumps(head, ensure_ascii=False, indent=2)[:-2] + ',\n  "cases": [\n' + lines + "\n  ]\n}\n"


def same(one, other):
    """Whether two verdicts are the same to us: a redirect away from TLS is a list that does not come."""
    return one == other or {one, other} == {"fetch", "insecure"}


def main():
    """Asks, compares, and says what differs."""
    parser = argparse.ArgumentParser(prog="tools/related-origins-check/run", description=__doc__.split("\n")[0])
    parser.add_argument("--recorded", action="store_true", help="ask hybrid alone, and compare with what was recorded")
    parser.add_argument("--write", action="store_true", help="record what Chromium says")
    parser.add_argument("--cases", default="", metavar="PART", help="only those with this in their name")
    parser.add_argument("--quick", action="store_true", help="leave out the cases that take seconds")
    options = parser.parse_args()
    document = json.loads(CASES.read_text())
    cases = [case for case in document["cases"]
             if options.cases in case["name"] and not (options.quick and "delay" in case["response"])]
    faults, counts = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        site = server.Server(folder, names(cases))
        chromium = None
        if not options.recorded:
            import browser  # Needs python3-websockets, which the rest does not.
            chromium = browser.Browser(folder, site.authority, site.tls_port, site.plain_port)
        try:
            for case in cases:
                site.case = case
                said = case.get("chromium")
                if chromium:
                    site.is_local = False
                    said = chromium.verdict(case["origin"], case["rp_id"])
                    if options.write:
                        case["chromium"] = said
                    elif said != case.get("chromium"):
                        faults.append(f"{case['name']}: Chromium says {said}, {case.get('chromium')} was recorded")
                site.is_local = True
                own = ours(folder, site, case)
                if not same(own, case.get("ours", said)):
                    faults.append(f"{case['name']}: hybrid says {own}, Chromium {said}")
                counts["differs, as is known" if "ours" in case else said] += 1
        finally:
            if chromium:
                chromium.end()
        if options.write:
            document["chromium"] = browser.version()
            CASES.write_text(text(document))
    for fault in faults:
        print(fault)
    print(f"{len(cases)} cases, {len(faults)} faults: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
