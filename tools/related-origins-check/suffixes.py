"""Holds our reading of the public suffix list against libpsl's: for every rule, its names, and those one and two labels below."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIST = "/usr/share/publicsuffix/public_suffix_list.dat"
# So many names that their list has not too many bytes.
AT_ONCE = 3000


def names():
    """The names that are tried."""
    for line in pathlib.Path(LIST).read_text().splitlines():
        rule = line.split()[0] if line.split() else "//"
        if not rule.startswith("//"):
            name = rule.lstrip("!").replace("*", "wild")
            yield from (name, "one." + name, "two.one." + name)


def libpsl(tried):
    """The labels before the public suffixes, as libpsl has them; None for a public suffix."""
    said = subprocess.run(["psl", "--load-psl-file", LIST, "--batch", "--print-reg-domain"], input="\n".join(tried) + "\n",
                          capture_output=True, text=True, check=True).stdout.splitlines()
    return [None if domain == "(null)" else domain.split(".")[0] for domain in said]


def ours(tried):
    """The same as `hybrid inspect` has them."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"origins": ["https://" + name for name in tried]}, file, ensure_ascii=False)
        file.flush()
        said = subprocess.run([os.environ.get("HYBRID", "hybrid"), "inspect", "--json", file.name], capture_output=True,
                              text=True, check=True).stdout
    values = [field["value"] for field in json.loads(said)["fields"] if field["name"].startswith("entry ")]
    found = [re.search(r' label "([^"]*)"', value) for value in values]
    return [match and match[1] for match in found]


def main():
    """Compares, and says what differs."""
    tried, faults = list(names()), 0
    for start in range(0, len(tried), AT_ONCE):
        some = tried[start:start + AT_ONCE]
        theirs, own = libpsl(some), ours(some)
        assert len(some) == len(theirs) == len(own)
        for name, one, other in zip(some, theirs, own):
            if one != other:
                faults += 1
                print(f"{name}: libpsl says {one}, hybrid {other}")
    print(f"{len(tried)} names, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
