#!/usr/bin/env -S python3 -B
"""Makes the manual pages of a program: one of each command, by swift-argument-parser's generator, and of hybrid hybrid-exit-codes(7).

    manual.py GENERATOR PROGRAM YEAR-MONTH-DAY FOLDER [COMMAND...]      COMMAND: one of which another program has the page

The generator takes a command's discussion for text to fill. Here examples get a section in which no line is wrapped, blank lines
become paragraphs, and pages are named as man looks for them: `man hybrid-client-register`, and `man hybrid client`.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# The program whose pages have one of the exit codes beside them. Those of others name the program's own page, which has them, too.
MAIN = "hybrid"
EXIT_CODES = f"{MAIN}-exit-codes"


def commands(command, above=()):
    """The words of each command, with its description by the parser."""
    words = (*above, command["commandName"])
    yield words, command
    for below in command.get("subcommands", []):
        yield from commands(below, words)


def exit_codes(program):
    """The numbers and meanings that its `help exit-codes` lists."""
    table = subprocess.run([program, "help", "exit-codes"], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = re.findall(r"^ +(\d+) +(\S.*)$", table, re.M)
    if not rows or len(rows) != len(re.findall("^  ", table, re.M)):
        sys.exit("manual: error: `help exit-codes` has lines that cannot be read")
    return rows


def escaped(text):
    """Text with a line for each sentence, in which hyphens of options stay what a terminal takes."""
    text = re.sub(r"(?<![\w\\-])--?(?=\w)", lambda found: found[0].replace("-", r"\-"), text)
    return re.sub(r"(?<=[\w)`\"]\.) (?=[A-Z(])", "\n", text)


def literal(line):
    line = line.strip().replace("-", r"\-")
    return rf"\&{line}" if line.startswith((".", "'")) else line


def display(lines):
    return [".Bd -literal -offset indent", *map(literal, lines), ".Ed"]


def discussion(lines):
    """A discussion in mdoc, and the lines of its examples."""
    text, examples = [], []
    for block in "\n".join(lines).split("\n\n"):
        rows = block.splitlines()
        if not rows:
            continue
        if rows[0] in ("example:", "examples:"):
            examples += rows[1:]
        else:
            text += [".Pp"] if text else []
            for row in rows:
                if row.startswith("  ") and text and text[-1] == ".Ed":
                    text[-1:] = [literal(row), ".Ed"]
                else:
                    text += display([row]) if row.startswith("  ") else [escaped(row)]
    return text, examples


def list_of(rows):
    return [".Bl -tag -width 6n", *(line for title, text in rows for line in (f".It {title}", escaped(text))), ".El"]


def shown(command):
    """The commands below one, but for those that programs alone call."""
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True)]


def below(words, command):
    """The commands below one, with what they do."""
    rows = [(f"Xr {'-'.join((*words, each['commandName']))} 1", each["abstract"]) for each in shown(command)]
    return list_of(rows) if rows else []


def see_also(words, command):
    above = ["-".join(words[:-1])] if len(words) > 1 else []
    names = sorted("-".join((*words, each["commandName"])) for each in shown(command))
    pages = [f".Xr {name} 1" for name in above + names] + ([f".Xr {EXIT_CODES} 7"] if words[0] == MAIN else [])
    return [f"{page} ," for page in pages[:-1]] + pages[-1:]


def where_codes_are(words):
    return f"{EXIT_CODES} 7" if words[0] == MAIN else f"{words[0]} 1"


def sections(page):
    """The page's head, and the lines of its sections by title."""
    head, found, at = [], {}, None
    for line in page.splitlines():
        if line.startswith(".Sh "):
            at = found[line[4:].strip('"')] = []
        else:
            (head if at is None else at).append(line)
    return head, found


def page_of(words, command, source, codes, version):
    head, found = sections(source)
    name = "-".join(words)
    head = [re.sub(r"^\.Dt \S+", f".Dt {name.upper()}", line) for line in head]
    head = [line if line != ".Os" else f".Os hybrid {version}" for line in head]
    synopsis = [re.sub(r"^\.Nm$", f'.Nm "{" ".join(words)}"', line) for line in found["SYNOPSIS"]]
    body = found["DESCRIPTION"]
    options = next((index for index, line in enumerate(body) if line.startswith(".Bl")), len(body))
    text, examples = discussion(body[:options])
    listed = [line if line.startswith(".") else escaped(line) for line in body[options:]]
    # A paragraph's end before the next item, or the list's, is one too many.
    listed = [line for line, next_one in zip(listed, listed[1:] + [""]) if line != ".Pp" or next_one[:3] not in (".It", ".El")]
    status = list_of(codes) if len(words) == 1 else [f"See\n.Xr {where_codes_are(words)} ."]
    parts = [
        ("NAME", [f".Nm {name}", f".Nd {command['abstract'].rstrip('.')}"]), ("SYNOPSIS", synopsis), ("DESCRIPTION", text + listed),
        ("COMMANDS", below(words, command)), ("EXIT STATUS", status), ("EXAMPLES", display(examples) if examples else []), ("SEE ALSO", see_also(words, command)),
    ]
    return written(head, parts)


def written(head, parts):
    return "\n".join(head + [line for title, lines in parts if lines for line in (f".Sh {title}", *lines)]) + "\n"


def write_exit_codes(folder, head, codes, version):
    head = [".\\\" Generated from `hybrid help exit-codes`", *(
        {".Dt": f".Dt {EXIT_CODES.upper()} 7", ".Os": f".Os hybrid {version}"}.get(line[:3], line) for line in head)]
    (folder / f"{EXIT_CODES}.7").write_text(written(head, [
        ("NAME", [f".Nm {EXIT_CODES}", ".Nd exit codes of hybrid and its commands"]),
        ("DESCRIPTION", ["Every command ends with one of these:", *list_of(codes), ".Pp",
                         r"With \-\-json the line of an error names the cause by a code of its own too."]),
        ("SEE ALSO", [".Xr hybrid 1"])]))


def main(generator, program, date, folder, *elsewhere):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dump = subprocess.run([program, "--experimental-dump-help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    # The generator leaves out what is not ASCII.
    dump = dump.replace("…", "...")
    if not dump.isascii():
        sys.exit("manual: error: the help has characters that a manual page would lack: " + re.sub(r"[ -~\s]", "", dump))
    root = json.loads(dump)["command"]
    with tempfile.TemporaryDirectory() as scratch:
        stand_in = pathlib.Path(scratch) / pathlib.Path(program).name
        (pathlib.Path(scratch) / "dump").write_text(dump)
        stand_in.write_text('#!/bin/sh\nexec cat "${0%/*}/dump"\n')
        stand_in.chmod(0o755)
        subprocess.run([generator, stand_in, "--multi-page", "--date", date, "--output-directory", folder], check=True)
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    codes = exit_codes(program)
    head = None
    for words, command in commands(root):
        made = folder / f"{'.'.join(words)}.1"
        source = made.read_text()  # Fails if the generator has made no page of this command.
        made.unlink()
        if words[1:2] and words[1] in elsewhere or not command.get("shouldDisplay", True):
            continue
        (folder / f"{'-'.join(words)}.1").write_text(page_of(words, command, source, codes, version))
        head = head or [line for line in sections(source)[0] if not line.startswith(".\\")]
    left = [page.name for page in folder.iterdir() if "." in page.stem]
    if left:
        sys.exit(f"manual: error: pages of no command: {' '.join(left)}")
    if root["commandName"] == MAIN:
        write_exit_codes(folder, head, codes, version)
    print(f"manual: {len(list(folder.iterdir()))} pages")


if __name__ == "__main__":
    main(*sys.argv[1:])
