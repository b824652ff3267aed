"""The sources of a fuzz target: those whose change makes its results those of another program."""
import functools
import hashlib
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ROOT / "tools/fuzz/Sources/FuzzTargets"
IMPORT = re.compile(r"^(?:@\w+(?:\([^)]*\))? )?(?:\w+ )?import (\w+)$", re.M)
DECLARED = re.compile(r"\b(?:struct|class|enum|actor|protocol|typealias) (\w+)")


@functools.cache
def code(file):
    """The code of a file, without comments of whole lines and without indentation: neither changes what is executed."""
    lines = (line.strip() for line in file.read_text().splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


@functools.cache
def modules():
    """The files of each module of the project, by its name."""
    found = {}
    for folder in sorted((ROOT / "Sources").glob("*/*")):
        found[folder.name] = sorted(file for file in folder.rglob("*") if file.suffix in (".swift", ".c", ".h", ".json"))
    return {name: files for name, files in found.items() if files}


@functools.cache
def declared(file):
    """The types that a file of the targets declares."""
    return set(DECLARED.findall(code(file)))


def files_of(target):
    """The files of a target: its own, the common ones whose types they use, and the modules that they import."""
    name = re.compile(rf"static let {target.replace('-', '')}\b", re.I)
    waiting = [next(file for file in sorted((TARGETS / "Targets").glob("*.swift")) if name.search(code(file)))]
    helpers = {file for file in TARGETS.rglob("*.swift") if file.parent.name not in ("Targets", "Cost")}
    reached, imported = set(), set()
    while waiting:
        file = waiting.pop()
        if file in reached:
            continue
        reached.add(file)
        words = set(re.findall(r"\w+", code(file)))
        if file.is_relative_to(TARGETS):
            waiting += [helper for helper in helpers if declared(helper) & words]
        if file.suffix == ".swift":
            for name in set(IMPORT.findall(file.read_text())) & set(modules()) - imported:
                imported.add(name)
                waiting += modules()[name]
    return sorted(reached)


@functools.cache
def compiler():
    return subprocess.run(["swift", "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def digest(target):
    """A hash of the code of a target and of the compiler."""
    files = files_of(target)
    text = "\0".join([compiler()] + [f"{file.relative_to(ROOT)}\n{code(file)}" for file in files])
    return hashlib.sha256(text.encode()).hexdigest()
