"""Looks for words that no catalogue has, where the programs speak the language of `tools/catalogue/run --pseudo`: each
sentence stands there between brackets, in wide letters.

languages.py help PROGRAM…    reads the help of each command
languages.py left             reads standard input
"""

import json
import os
import re
import subprocess
import sys

# Of a help page, by the parser: the commands and their options.
SYNTAX = re.compile(r"(?m)^ {2,}[^⟦\n]*|^ *hybrid.*|[\w.-]+, (?=[\w.-])")
# Of a session: results for programs, and texts between quotation marks.
FOREIGN = re.compile(r'(?m)^\{.*|"(?:[^"\\]|\\.)*"|^[█▀▄ ]+$')
WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}[^\n]*")


def outside(text):
    """The text without the sentences, one in another, and without what a line break has cut off at its end."""
    while True:
        shorter = re.sub(r"⟦[^⟦⟧]*⟧", "", text)
        if shorter == text:
            return text
        text = shorter


def left(text, known):
    return WORDS.findall(known.sub("", outside(text)))


def commands(command, path):
    yield path
    for sub in command.get("subcommands", []):
        if sub["commandName"] != "help":
            yield from commands(sub, path + [sub["commandName"]])


def pages(program):
    plain = dict(os.environ, LANGUAGE="")
    tree = json.loads(subprocess.run([program, "--experimental-dump-help"], env=plain, check=True,
                                     capture_output=True).stdout)
    for path in commands(tree["command"], [program]):
        page = subprocess.run(path + ["--help"], check=True, capture_output=True, text=True).stdout
        yield " ".join(path), page


def main(what, *programs):
    faults = []
    if what == "help":
        count = 0
        for program in programs:
            for name, page in pages(program):
                count += 1
                faults += [f"{name}: {words}" for words in left(page, SYNTAX)]
                if "⟦" not in page:
                    faults.append(f"{name}: not translated at all")
    else:
        text = sys.stdin.read()
        count, faults = text.count("⟦"), left(text, FOREIGN)
    print(*faults, sep="\n")
    print(f"{count} read, {len(faults)} left out")
    return bool(faults) or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
