"""Tables of threats: each row of what an attacker attempts is held off by something that a test tries to break, or says that it is not
held off. Such a table has "shown by" as its last heading. A name there, in backticks, is that of

    a suite or file of tests: `LimitTests`, `LimitTests` of `TunnelServiceTests`, or one test of it, `LimitTests/shares`,
    a script of the command line: `codes.txt`,
    a case of `hybrid conformance`: `client/advert/second-device`,
    a tool: `tools/attack/run`,
    vectors or a fuzzer, after that word: vectors of `hand-over`, the fuzzer `hand-over`,
    a step of .ci/run, by its whole name: the step `demo`.

The table of .github/STABILITY.md has the same shape: each surface is shown by something, or is not promised.
"""
import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The articles that must have such tables, and the headings that the first of them must have.
ARTICLES = {
    "Sources/Transport/HybridTransport/HybridTransport.docc/ThreatModel.md": (
        "Near: in radio range", "On the way: the network, and the operator of the tunnel service",
        "An unauthenticated peer that attacks the tunnel service", "Beside the tunnel service: its operator's network",
        "Local: another user, and programs of the same user", "A malicious client, linked or met by a code",
        "Another application's code", "A page", "A file or a text from elsewhere", "The key log"),
    "Sources/Transport/HybridTransport/HybridTransport.docc/FlowsBetweenDevices.md": (),
    "Sources/Core/HybridProtocol/HybridProtocol.docc/KnownAttacks.md": (),
    "Sources/Authenticator/PasskeyExchange/PasskeyExchange.docc/HandOver.md": ("Threats",),
}
STABILITY = ".github/STABILITY.md"
LAST = "shown by"
NONE = "–"
# What a row without a test begins with.
OPEN = ("**not held off**", "does not apply", "no:")
SUITE = re.compile(r"(\w+Tests)(?:/(\w+))?")


def rows(path):
    """Each row of the tables of threats: its section, line, first cell, the one before the last, and the last."""
    section, inside = "", False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("#"):
            section = line.lstrip("# ")
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[-1] == LAST:
            inside = True
        elif inside and not set(line) <= set("|-: "):
            yield section, number, cells[0], cells[1:-1], cells[-1]


@functools.cache
def tests():
    """The texts of the tests, by folder and path."""
    return {path.relative_to(ROOT): path.read_text() for path in sorted(ROOT.glob("Tests/**/*.swift"))}


@functools.cache
def steps():
    """The names of the steps of CI."""
    return set(re.findall(r"^\s*step '([^']+)'", (ROOT / ".ci/run").read_text(), re.M))


def has_suite(name, test, folder):
    """True if there is such a suite or file in the folder, or any, with a test in it, or that one."""
    files = [(path, text) for path, text in tests().items() if folder in (None, path.parts[1])]
    declared = re.compile(rf"\b(?:struct|class|extension|enum) {name}\b")
    found = [text for path, text in files if path.stem == name or path.stem.startswith(f"{name}+") or declared.search(text)]
    return any(re.search(rf"\bfunc `?{test}\b" if test else r"@Test\b", text) for text in found)


def exists(name, before, folder, cases):
    """True if what a name in backticks means is there."""
    if suite := SUITE.fullmatch(name):
        return has_suite(suite[1], suite[2], folder)
    if name.endswith(".txt"):
        return (ROOT / "Tests/CommandLineTests/Scripts" / name).exists()
    if name.startswith("tools/"):
        return (ROOT / name.split()[0]).exists()
    if "fuzzer" in before:
        return any(f'"{name}"' in path.read_text() for path in (ROOT / "tools/fuzz").glob("Sources/**/*.swift"))
    if "vectors" in before:
        return any(ROOT.glob(f"Vectors/**/{name}*.json"))
    return name in cases or name in steps()


def faults_of(row, cases):
    """What is wrong with a row; the number of what it names."""
    _, _, attempt, middle, shown = row
    is_open = middle[-1].startswith(OPEN)
    if shown == NONE:
        return ([] if is_open else [f"{attempt!r} is said to hold, and nothing shows it"]), 0
    if is_open and middle[-1].startswith(OPEN[0]):
        return [f"{attempt!r} is not held off, and yet shown"], 0
    # A folder belongs to the suite before it.
    names = [(match[2], match[1], match[3]) for match in re.finditer(r"([^`]*)`([^`]+)`(?: of `([^`]+)`)?", shown)]
    if not names and "vectors" in shown:
        return [], 1
    found = [f"{attempt!r} names no test"] if not names else []
    found += [f"{attempt!r}: there is no {name}" + (f" in Tests/{folder}" if folder else "")
              for name, before, folder in names if not exists(name, before, folder, cases)]
    return found, len(names)


def check(cases, faults, articles=None):
    """Adds what is wrong with the tables to the faults. Returns the number of rows, and of those with a test."""
    count = tested = 0
    for article, headings in (articles or ARTICLES).items():
        path = ROOT / article
        found = list(rows(path))
        faults += [f"{path.name}: the section {heading!r} has no such table"
                   for heading in headings if heading not in {row[0] for row in found}]
        if not found:
            faults.append(f"{path.name}: no table whose last heading is {LAST!r}")
        for row in found:
            wrong, named = faults_of(row, cases)
            faults += [f"{path.name}:{row[1]}: {fault}" for fault in wrong]
            count, tested = count + 1, tested + bool(named)
    return count, tested
