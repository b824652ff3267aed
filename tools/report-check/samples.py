"""Reports of runs with a peer that misbehaves: that ends as if all had gone well whatever it is given, and writes what it likes."""
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HYBRID = os.environ.get("HYBRID", str(ROOT / ".build/debug/hybrid"))
# Some of each outcome: kept, failed, observed and skipped ones; of the failed ones two have whole sessions to show.
FILTERS = ["code/secret", "code/no-hint", "handshake/wrong-psk", "linked/session", "code/makes-passkey", "message/",
           "authenticator/frame/truncated"]
DEVIATIONS = 21
# Markup, ends of elements and comments, colours of terminals, a reversed direction, marks that climb, a word without end.
HOSTILE = ("<script>document.body.remove()</script></pre></main><img src=//example.invalid/x onerror=alert(1)>",
           "--> ]]> </style><style>body{display:none}</style> &lt;b&gt; \" ' `",
           "\x1b[31mred\x1b[0m \x07 \u202egnirts\u2066 \ufeff\u200b\u0000\ufffe", "Z" + "\u0301\u0323" * 60, "x" * 3000,
           "\u05d0\u05d1\u05d2 123 \u0627\u0644")
# A command that crashes where a message cannot be decrypted, and otherwise ends as if all had gone well.
PEER = """text=$1; shift; said=$("$@" 2>&1); printf '%s\\n' "$said" >&2; cat "$text" >&2
case $said in *"bad tag"*) kill -SEGV $$ ;; esac
exit 0"""


def pages(folder):
    """Runs the cases, and compares; the paths of the pages."""
    folder.mkdir()
    text = folder / "hostile.txt"
    text.write_bytes("\n".join(HOSTILE).encode() + b"\n\xff\xfe\n")
    report = folder / "authenticator"
    peer = ["sh", "-c", PEER, "sh", str(text), HYBRID, "authenticator", "answer", "{url}", "--yes",
            "--ephemeral", "--timeout", "5", "--radio", "{radio}", "--tunnel", "{tunnel}", "--ca", "{ca}"]
    filters = [word for name in FILTERS for word in ("--filter", name)]
    ended = subprocess.run(
        [HYBRID, "conformance", "authenticator", "--radio", "udp:", "--timeout", "30", "--report", str(report), "--peer-name",
         "<b>hostile</b> & \u202epeer", "--peer-version", "1\"><script>", *filters, "--", *peer],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if ended.returncode != DEVIATIONS:
        raise RuntimeError(f"the run ended with {ended.returncode}: {ended.stderr[-500:]}")
    documents = [report / "report.json", *(_other(report, folder, number) for number in range(1, 7))]
    matrix = folder / "compare" / "index.html"
    matrix.parent.mkdir()
    subprocess.run([HYBRID, "conformance", "compare", *documents, "--html", matrix], stdout=subprocess.DEVNULL, check=True)
    return [report / "index.html", matrix]


def damaged(page):
    """Copies in which something is gone, and what has to be found in each: in a view, a fault."""
    # The language, and what tells the muted text from the page.
    yield _without(page, "damaged", {'<html lang="en">': "<html>", "--muted: #55606d": "--muted: #d5d5d5"}), ["light: axe: "]
    # What keeps the short columns of transcripts whole, and the summary within a phone's screen.
    views = ("light", "dark", "phone", "wide-phone", "paper")
    yield _without(page, "broken", {
        "white-space: nowrap; overflow-wrap: normal; }": "}", ".rules tr, .transcript tr { display: grid;": ".rules tr {",
        "writing-mode: vertical-rl;": "",
    }), [*(f"^{view}: {what}" for view in views for what in ("broken inside a word", "in several lines of the picture")),
         "^phone: the summary is cut", "^wide-phone: the summary is cut", "^paper: .* are printed with a column named Direction"]


def otherwise_rendered(page):
    """A copy of a page whose letters stand at other parts of a pixel, and are a little paler."""
    return _without(page, "rendered", {"  margin: 0; background: var(--page);": "  transform: translate(.45px, .45px); filter: contrast(.95); "
                                       "margin: 0; background: var(--page);"})


def without_parts(page):
    """Copies of a page, each without one part that a reader sees: (what, path)."""
    text = page.read_text()
    parts = {name: found[0] for name in re.findall('<section id="([^"]+)"', text)
             if (found := re.search(f'<section id="{name}".*?</section>\n', text, re.S))}
    parts |= {"nav": re.search("<nav.*?</nav>\n", text, re.S)[0], "lead": re.search('<p class="lead">.*?</p>\n', text, re.S)[0],
              "messages in a notation": re.search("<pre dir=\"ltr\">GET .*?</pre>", text, re.S)[0],
              "a row of the summary": re.search("<tr><th scope=\"row\"><a .*?</tr>\n", text, re.S)[0]}
    for number, (what, part) in enumerate(parts.items()):
        yield what, _without(page, f"without-{number}", {part: ""})


def _without(page, name, changes):
    """A copy of a page with other texts in the place of some."""
    text = page.read_text()
    for old, new in changes.items():
        if old not in text:
            raise RuntimeError(f"{page} does not hold {old}")
        text = text.replace(old, new)
    copy = page.with_name(f"{name}.html")
    copy.write_text(text)
    return copy


def _other(report, folder, number):
    """The same results under another name, and without some: a matrix of several columns with holes."""
    document = json.loads((report / "report.json").read_text())
    document["peer"] = {"name": f"peer of another make {number}", "version": f"{number}.0", "command": ["true"]}
    document["cases"] = [case for index, case in enumerate(document["cases"]) if index % 7 != number]
    document["complete"] = False
    path = folder / f"{number}.json"
    path.write_text(json.dumps(document))
    return path
