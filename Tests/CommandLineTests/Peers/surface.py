"""What scripts can use of `hybrid`: its commands and options, exit codes, the members of its JSON lines, and the IDs of its cases.

surface.py            writes all, a line each
surface.py FILE       fails if a line of the file is not among them: what a version had, later ones have
"""

import json
import re
import subprocess
import sys

# Commands that may be programs of their own, and explain themselves.
OTHERS = ("tunnel-service", "conformance", "vectors", "inspect")
WRITERS = (("demo", "--json", "--qr", "png:code.png"), ("version", "--json"), ("inspect", "255", "--json"))
ROLES = ("authenticator", "client", "tunnel-service")
TYPES = {bool: "bool", int: "number", float: "number", str: "string", list: "array", dict: "object", type(None): "null"}


def output(*words):
    return subprocess.run(["hybrid", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def commands(command, path):
    yield " ".join(path)
    for argument in command.get("arguments", []):
        for name in argument.get("names") or []:
            yield f"{' '.join(path)} {'--' if name['kind'] == 'long' else '-'}{name['name']}"
    for each in command.get("subcommands", []):
        yield from commands(each, [*path, each["commandName"]])


def members(value, path):
    yield f"{path}: {TYPES[type(value)]}"
    if isinstance(value, dict):
        for name, member in value.items():
            yield from members(member, f"{path}.{name}")


def surface():
    for words in ((), *((word,) for word in OTHERS)):
        yield from commands(json.loads(output(*words, "--experimental-dump-help"))["command"], ["hybrid", *words])
    for number in re.findall(r"^  (\d+) ", output("help", "exit-codes"), re.M):
        yield f"exit {number}"
    for writer in WRITERS:
        for line in output(*writer).splitlines():
            value = json.loads(line)
            yield from members(value, f"json {value.get('event', 'version')}")
    for role in ROLES:
        for line in output("conformance", role, "--list", "--json").splitlines():
            yield f"case {json.loads(line)['id']}"


lines = set(surface())
if len(sys.argv) == 1:
    print("\n".join(sorted(lines)))
else:
    with open(sys.argv[1]) as file:
        kept = file.read().splitlines()
    missing = [line for line in kept if line not in lines]
    print("\n".join(f"missing: {line}" for line in missing) or f"{len(kept)} lines, none missing")
    sys.exit(bool(missing))
