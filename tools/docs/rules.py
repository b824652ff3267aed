"""The pages of the rules: one for each, with all that is known of it, and an index by article. They need no script."""
import collections
import html
import importlib.machinery
import importlib.util
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/Core/HybridProtocol/HybridProtocol.docc/Sources.md"
MUTANTS = ROOT / "tools/mutate/results.json"
STYLE = """body { font: 16px/1.5 "Helvetica Neue", Helvetica, Arial, sans-serif; margin: 0; color: #1d1d1f; background: #fff; }
nav { background: #1f3a5f; padding: 8px 22px; } nav a { color: #fff; margin-right: 24px; text-decoration: none; }
main { max-width: 60em; margin: 0 auto; padding: 0 22px 40px; } code { overflow-wrap: anywhere; }
a { color: #0a58a8; } .rule { font-size: 1.25em; } table { border-collapse: collapse; width: 100%; }
td ul { margin: 0; padding-left: 18px; } td:last-child { min-width: 6em; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid #ccc; }
@media (max-width: 760px) { table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: 0; }
tr { border-bottom: 1px solid #ccc; padding: 4px 0; } }
@media (prefers-color-scheme: dark) { body { color: #f5f5f7; background: #1d1d1f; } main a { color: #7fb8ff; }
th, td { border-color: #555; } }
@media print { body { color: #000; background: #fff; } main a { color: #0a58a8; } }
"""
TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
<nav aria-label="Documentation"><a href="{base}/documentation/hybrid/">FIDO hybrid transport</a>
<a href="{base}/documentation/hybridprotocol/">Reference</a> <a href="{base}/rules/">Rules</a></nav>
<main>
{body}
</main>
</html>
"""


def load(path):
    """A program of another tool, as a module."""
    loader = importlib.machinery.SourceFileLoader(f"{path.parent.name}_run", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


trace = load(ROOT / "tools/trace/run")


def table(head, rows):
    """A table of texts that are HTML already; a sentence where there is no row."""
    if not rows:
        return "<p>None.</p>"
    return ("<table>\n<thead><tr>" + "".join(f'<th scope="col">{each}</th>' for each in head) + "</tr></thead>\n<tbody>\n"
            + "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows) + "\n</tbody>\n</table>")


def text(markdown):
    """A sentence of an article as HTML."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(re.sub(r"<doc:([^>#]*#)?([^>]+)>", r"\2", markdown)))


def code(name):
    return f"<code>{html.escape(str(name))}</code>"


def rows_of(heading):
    """The rows of the table below a heading of the article Sources, by their first cells."""
    part = SOURCES.read_text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in part.split("\n") if line.startswith("| ")]
    return {key.strip("` "): row[1] for row in cells for key in row[0].split(",")}


class Pages:
    """All that the pages show, read once."""

    def __init__(self, base_path):
        self.base = base_path.rstrip("/")
        faults = []
        self.rules = trace.rules(faults)
        self.published = {row["id"]: row for catalogue in trace.CATALOGUES
                          for row in json.loads((catalogue.vectors / "rules.json").read_text())["rules"]}
        self.keys, self.certainties = rows_of("Keys"), rows_of("Certainty")
        self.cases = trace.cases() if trace.PROGRAM.exists() else trace.reported_cases()
        self.citing_code, self.citing_tests = self.citations()
        self.vectors = collections.defaultdict(list)
        for file in sorted(file for catalogue in trace.CATALOGUES for file in catalogue.vectors.glob("*.json")):
            for case in json.loads(file.read_text()).get("cases", []) if file.name not in ("index.json", "rules.json") else []:
                self.vectors[case["rule"]].append((case["id"], file.relative_to(ROOT), case.get("comment", "")))
        self.mutants = collections.defaultdict(list)
        for mutant in json.loads(MUTANTS.read_text())["mutants"]:
            for rule in mutant["rules"]:
                self.mutants[rule].append(mutant)
        self.peers = [json.loads(file.read_text()) for file in sorted(trace.REPORTS.glob("*.json"))]

    def citations(self):
        """The places in code and in tests that cite each rule, as file and line."""
        carrying, testing = collections.defaultdict(list), collections.defaultdict(list)
        for name in dict.fromkeys(name for _, name in trace.citations()):
            kind = testing if name.startswith(("Tests/", "Sources/Conformance/")) and not name.endswith(".md") else carrying if trace.is_code(name) else None
            for number, line in enumerate((ROOT / name).read_text().split("\n") if kind is not None else [], 1):
                for rule in dict.fromkeys(trace.ID.findall(line)):
                    kind[rule].append(f"{name}:{number}")
        return carrying, testing

    def page(self, title, body):
        return TEMPLATE.format(title=html.escape(title), style=STYLE, base=self.base, body=body)

    def article(self, rule, anchor=""):
        module = next(each.articles.stem for each in trace.CATALOGUES if rule.id.startswith(f"{each.prefix}-"))
        path = f"{self.base}/documentation/{module.lower()}/{rule.article.lower()}/{anchor}"
        return f'<a href="{path}">{html.escape(rule.title)}</a>'

    def rule(self, rule):
        """The page of a rule."""
        known = self.published.get(rule.id, {})
        facts = [("strength", rule.strength), *([("editions of CTAP", ", ".join(known["editions"]))] if known.get("editions") else []),
                 ("certainty", f"{rule.certainty}: {text(self.certainties.get(rule.certainty, ''))}"),
                 ("article", self.article(rule, f"#{rule.id}"))]
        if rule.untested:
            facts.append(("no vector and no case", text(rule.untested)))
        named = [key for key in self.keys if re.search(rf"(?<![\w/-]){re.escape(key)}(?![\w-])", rule.sources)]
        sources = f"<p>{text(rule.sources) or 'None.'}</p>" + (
            table(("key", "source"), [(html.escape(key), text(self.keys[key])) for key in named]) if named else "")
        peers = []
        for report in self.peers:
            of_rule = [case for case in report["cases"] if case["rule"] == rule.id]
            for verdict, count in collections.Counter(case.get("grade") or case["verdict"] for case in of_rule).items():
                ids = [case["id"] for case in of_rule if (case.get("grade") or case["verdict"]) == verdict]
                name = " ".join(filter(None, (report["peer"]["name"], report["peer"].get("version"))))
                peers.append((html.escape(name), report["role"], html.escape(verdict), str(count), lines(ids)))
        mutants = [(text(each["what"]), code(each["file"]), code(each["killed"]) if each["killed"] else "it survived", each["date"])
                   for each in self.mutants[rule.id]]
        parts = [f"<h1>{rule.id}</h1>", f'<p class="rule">{text(rule.sentence)}</p>',
                 "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>",
                 "<h2>Sources</h2>", sources,
                 "<h2>Code that carries it out</h2>", lines(self.citing_code[rule.id]) or "<p>None cites it.</p>",
                 "<h2>Tests and cases that cite it</h2>", lines(self.citing_tests[rule.id]) or "<p>None cites it.</p>",
                 "<h2>Vectors</h2>", table(("vector", "file", "what it is"), [
                     (code(name), code(file), text(comment)) for name, file, comment in self.vectors[rule.id]]),
                 "<h2>Conformance cases</h2>", lines(self.cases.get(rule.id, [])) or "<p>None.</p>",
                 "<h2>Mutants</h2>", "<p>Deliberate mistakes that break the rule, and what notices them: <code>tools/mutate/run</code>.</p>",
                 table(("mistake", "file", "killed by", "on"), mutants),
                 "<h2>Measured peers</h2>", table(("peer", "role", "result", "cases", "which"), peers)]
        return self.page(f"{rule.id}: rule of the FIDO hybrid transport", "\n".join(parts))

    def index(self):
        """The page that leads to all."""
        parts = ["<h1>Rules</h1>", f"<p>{len(self.rules)} rules by article, each with a page: its sources, what carries it out, and what tests it.</p>"]
        for article in dict.fromkeys(rule.article for rule in self.rules.values()):
            of_article = [rule for rule in self.rules.values() if rule.article == article]
            rows = [(f'<a href="{self.base}/rules/{rule.id}/">{rule.id}</a>', text(rule.sentence), rule.certainty,
                     str(len(self.vectors[rule.id])), str(len(self.cases.get(rule.id, []))),
                     str(sum(each["killed"] is not None for each in self.mutants[rule.id]))) for rule in of_article]
            parts += [f"<h2>{html.escape(of_article[0].title)}</h2>", f"<p>The article is {self.article(of_article[0])}.</p>",
                      table(("rule", "sentence", "certainty", "vectors", "cases", "mutants killed"), rows)]
        return self.page("Rules of the FIDO hybrid transport", "\n".join(parts))


def lines(names):
    return "<ul>" + "".join(f"<li>{code(name)}</li>" for name in names) + "</ul>" if names else ""


def make(site, base_path):
    """Makes the pages below a site's folder, and returns how many rules have one."""
    pages = Pages(base_path)
    for name, content in [("", pages.index()), *((rule.id, pages.rule(rule)) for rule in pages.rules.values())]:
        folder = site / "rules" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(content)
    return len(pages.rules)
