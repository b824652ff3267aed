#!/usr/bin/env -S python3 -B
"""Writes debian/changelog, of one version: what CHANGELOG.md says of it.

    changelog.py CHANGELOG.md VERSION SECONDS-SINCE-1970 MAINTAINER
"""
import email.utils
import pathlib
import re
import sys
import textwrap


def main(path, version, time, maintainer):
    _, heading, rest = pathlib.Path(path).read_text().partition(f"\n## {version}\n")
    if not heading:
        sys.exit(f"changelog: error: {path} says nothing of {version}. hint: head a section with ## {version}")
    section = rest.partition("\n## ")[0]
    print(f"hybrid-transport ({version}) unstable; urgency=medium\n")
    for change in re.split(r"\n\n|\n(?=- )", section.strip()):
        text = " ".join(change.removeprefix("- ").split())
        print(textwrap.fill(text, 78, initial_indent="  * ", subsequent_indent="    ", break_on_hyphens=False))
    print(f"\n -- {maintainer}  {email.utils.formatdate(int(time))}")


main(*sys.argv[1:])
