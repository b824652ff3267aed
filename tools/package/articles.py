#!/usr/bin/env -S python3 -B
"""Makes the documentation of the package hybrid-doc from the articles: pages of HTML, and manual pages of section 7.

    articles.py FOLDER VERSION YEAR-MONTH-DAY     writes FOLDER/html and FOLDER/man, by lowdown(1)

Each article is html/MODULE/NAME.html, and index.html is the README. Those that users and operators need are manual pages as well:
KeepingPasskeys is hybrid-keeping-passkeys(7). Links lead to these pages; one to a file that is in no package stays as text.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Articles that are manual pages, beside all of the module hybrid but those for who changes the code.
PAGES = ["TunnelService/Operating", "HybridTransport/RunningTheService", "Conformance/TestingAnImplementation",
         "Conformance/TestingInContinuousIntegration", "Conformance/ShimProtocol", "HybridTransport/ThreatModel"]
FOR_CONTRIBUTORS = ["hybrid/hybrid", "hybrid/FindingYourWayInTheCode"]
BESIDE = ["CHANGELOG", "CONTRIBUTING", "SECURITY", "STABILITY"]
STYLE = "body{max-width:50em;margin:2em auto;padding:0 1em;font-family:sans-serif;line-height:1.4}table{border-collapse:collapse}" \
        "td,th{border:1px solid #888;padding:.2em .5em;text-align:left;vertical-align:top}pre{overflow-x:auto;padding:.5em;background:#8882}"


def articles():
    """The files of all articles, by MODULE/NAME."""
    return {f"{file.parent.name.removesuffix('.docc')}/{file.stem}": file for file in sorted((ROOT / "Sources").glob("*/*/*.docc/*.md"))}


def title(text):
    return re.search(r"^# (.*)$", text, re.M)[1].strip("`")


def manual_name(name):
    """The name of an article's manual page."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name.partition("/")[2]).replace("QR-Codes", "QR-codes")
    return f"hybrid-{words.lower()}"


def is_manual(name):
    return name in PAGES or name.startswith("hybrid/") and name not in FOR_CONTRIBUTORS


def cleaned(text):
    """An article without what DocC alone reads: its settings, and the lists of symbols at its end."""
    text = re.sub(r"^@\w+(\([^)]*\))? \{\n.*?^\}\n", "", text, flags=re.M | re.S)
    return re.sub(r"^## Topics\n.*?(?=^## |\Z)", "", text, flags=re.M | re.S)


def linked(text, name, found, link):
    """An article with the links of DocC as `link` writes them: it gets the article's name, and the words."""
    module = name.partition("/")[0]

    def article(match):
        target = next((each for each in (f"{module}/{match[1]}", *found) if each in found and each.endswith(f"/{match[1]}")), None)
        if not target:
            sys.exit(f"articles: error: {name} links to {match[1]}, which is no article")
        return link(target, title(found[target].read_text()))

    def symbol(match):
        words = match[1].strip("/")
        target = f"{words}/{words}"
        return link(target, words) if match[1].startswith("/") and target in found else f"`{words.rpartition('/')[2]}`"

    text = re.sub(r"<doc:(?:\w+/)*(\w+)>", article, text)
    return re.sub(r"``([^`\n]+)``", symbol, text)


def convert(text, kind, *options):
    return subprocess.run(["lowdown", f"-T{kind}", *options], input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


def page_of_html(text, heading):
    return f'<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n' \
           f"<title>{heading}</title>\n<style>{STYLE}</style>\n{convert(text, 'html')}</html>\n"


def files_linked(text, source, place, found):
    """A document with links to other documents as those to their pages; what is in no package keeps its words alone."""
    names = {file: f"{name}.html" for name, file in found.items()} | {ROOT / ".github" / f"{each}.md": f"{each}.html" for each in BESIDE}
    names[ROOT / "README.md"] = "index.html"

    def link(match):
        target, _, fragment = match[2].partition("#")
        if re.match(r"\w+:", match[2]) or not target:
            return match[0]
        file = (source.parent / target).resolve()
        if file not in names:
            return match[1]
        return f"[{match[1]}]({os.path.relpath(names[file], pathlib.Path(place).parent)}{'#' + fragment if fragment else ''})"

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", link, text)


def write_html(folder, found):
    documents = {f"{name}.html": (file, name) for name, file in found.items()}
    documents |= {f"{each}.html": (ROOT / ".github" / f"{each}.md", "/") for each in BESIDE} | {"index.html": (ROOT / "README.md", "/")}
    for place, (file, name) in documents.items():
        text = cleaned(file.read_text())
        text = linked(text, name, found, lambda to, words, at=place: f"[{words}]({os.path.relpath(f'{to}.html', pathlib.Path(at).parent)})")
        page = folder / place
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(page_of_html(files_linked(text, file, place, found), title(text)))
    return len(documents)


def without_tables(text):
    """An article with a term and its description for each row of its tables, which a terminal has no room for."""
    def described(match):
        head, _, *rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])] for line in match[0].strip().splitlines()]
        described = []
        for term, *cells in rows:
            named = [(name, cell) for name, cell in zip(head[1:], cells) if cell]
            described.append(f"{term or '–'}\n: " + "; ".join(f"{name}: {cell}" if name and len(cells) > 1 else cell for name, cell in named))
        return "\n\n".join(described) + "\n"

    return re.sub(r"(?:^\|.*\|\n)+", described, text, flags=re.M)


def write_manual(folder, found, version, date):
    folder.mkdir(parents=True)
    chosen = {name: file for name, file in found.items() if is_manual(name)}
    for name, file in chosen.items():
        text = linked(cleaned(file.read_text()), name, found,
                      lambda to, words: f"**{manual_name(to)}**(7)" if is_manual(to) else f"*{words}*")
        text = re.sub(r"\[([^\]]+)\]\((?!https?:)[^)\s]+\)", r"\1", text)
        _, _, rest = text.partition(f"# {title(text)}\n") if f"# {title(text)}\n" in text else text.partition("\n")
        abstract, _, rest = rest.strip().partition("\n\n")
        body = convert(without_tables(re.sub(r"^##", "#", rest, flags=re.M)), "man")
        # Fonts that terminals have, and dashes that can be copied.
        body = body.replace(r"\fC", r"\fB").replace(r"\f(CR", r"\fB")
        words = re.sub(r"[*`]", "", " ".join(abstract.split())).rstrip(".")
        page = manual_name(name)
        (folder / f"{page}.7").write_text(
            f".TH {page.upper()} 7 {date} \"hybrid {version}\"\n.SH NAME\n{page} \\- {words}\n{body}")
    return len(chosen)


def main(folder, version, date):
    found, folder = articles(), pathlib.Path(folder)
    pages, manual = write_html(folder / "html", found), write_manual(folder / "man", found, version, date)
    print(f"articles: {pages} pages of HTML, {manual} manual pages", file=sys.stderr)


main(*sys.argv[1:])
