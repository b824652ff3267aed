"""The library as somebody else has it: from git archive, in a folder of another name, beside packages that depend on it, and with those
of the project that do."""
import concurrent.futures
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTSIDE = ROOT / ".build-examples/outside"
LIBRARY = OUTSIDE / "another näme"
# Packages of the project that see what is not public: they name it by a link, whatever its folder is called.
PARTS = ["tools/bench", "tools/fuzz"]
# The packages of others that a trait of ours brings, with those that these depend on.
FETCHED = {
    "Transport": {"swift-atomics", "swift-collections", "swift-log", "swift-nio", "swift-nio-ssl", "swift-subprocess", "swift-system"},
    "Authenticator": {"swift-log", "swift-subprocess", "swift-system"},
    "Service": {"swift-async-algorithms", "swift-atomics", "swift-collections", "swift-log", "swift-metrics", "swift-nio",
                "swift-nio-ssl", "swift-service-lifecycle", "swift-system"},
}


def put(path, contents, executable=False):
    """Writes a file unless it is so already: what is not changed is not built again."""
    if not path.is_file() or path.read_bytes() != contents:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        path.chmod(0o755 if executable else 0o644)
    return path


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    return path


def unpack():
    """The library, as it is committed, or as it is changed since."""
    tree = subprocess.run(["git", "stash", "create"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    archive = subprocess.run(["git", "archive", tree or "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        kept = {put(LIBRARY / member.name, members.extractfile(member).read(), member.mode & 0o100)
                for member in members if member.isfile()}
        kept |= {link(LIBRARY / member.name, member.linkname) for member in members if member.issym()}
    for path in LIBRARY.rglob("*"):
        if (path.is_file() or path.is_symlink()) and path not in kept and not {".build", ".swiftpm"} & set(path.parts[len(LIBRARY.parts):]):
            path.unlink()


def programs():
    """The package of the examples, with no part of the library in it."""
    package = OUTSIDE / "programs"
    for path in (LIBRARY / "Sources/examples").rglob("*.swift"):
        text = path.read_text().replace('path: "../.."', f'path: "../{LIBRARY.name}"')
        put(package / path.relative_to(LIBRARY / "Sources/examples"), text.encode())


def parts():
    """Fails if a package of PARTS does not find the library under its own name; fetches nothing that the checkout has not."""
    for part in PARTS:
        keep_versions(LIBRARY / part)
        shown = subprocess.run(["swift", "package", "--package-path", LIBRARY / part, "show-dependencies", "--format", "json"],
                               stdout=subprocess.PIPE, text=True, check=False)
        if shown.returncode or '"identity": "hybrid-transport"' not in shown.stdout:
            sys.exit(f"examples: error: in the folder {LIBRARY.name!r}, {part} does not find hybrid-transport")
        print(f"in a folder of another name: {part}", flush=True)


def keep_versions(folder):
    """Gives a package the versions of dependencies that the checkout has."""
    if (ROOT / "Package.resolved").is_file():
        shutil.copy(ROOT / "Package.resolved", folder)


def manifests():
    """The manifest of each article that shows one, as a package; with the traits that it names."""
    for article in sorted((LIBRARY / "Sources").rglob("*.md")):
        for block in re.findall(r"^```swift\n(.*?)^```$", article.read_text(), re.M | re.S):
            if ".product(" not in block:
                continue
            folder = OUTSIDE / "manifests" / article.stem
            shutil.rmtree(folder, ignore_errors=True)
            text = re.sub(r'path: "[^"]*"', f'path: "../../{LIBRARY.name}"', block)
            if "let package" not in text:
                text = f'// swift-tools-version: 6.2\nimport PackageDescription\n\nlet package = Package(\nname: "program",\n{text})\n'
            put(folder / "Package.swift", text.encode())
            for name in re.findall(r'Target\(\s*name: "([^"]+)"', block):
                put(folder / "Sources" / name / "main.swift", b"")
            keep_versions(folder)
            yield folder, re.findall(r'"(\w+)"', (re.findall(r"traits: \[(.*?)\]", block) or ['"Transport", "Authenticator", "Service"'])[0])


def check(folder, traits):
    """What is wrong with a manifest, after it was resolved; empty if nothing."""
    ran = subprocess.run(["swift", "package", "--package-path", folder, "resolve"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False)
    if ran.returncode:
        return f"{folder.name}: {ran.stdout}"
    fetched = {path.name for path in folder.glob(".build/checkouts/*")}
    wanted = set().union(*(FETCHED[trait] for trait in traits))
    print(f"fetched for {folder.name}: {' '.join(sorted(fetched)) or 'nothing'}", flush=True)
    return "" if fetched == wanted else f"{folder.name}: fetches other packages than those of {traits}: {' '.join(sorted(fetched ^ wanted))}"


def main():
    unpack()
    programs()
    parts()
    if sys.argv[1:] == ["--manifests"]:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(lambda given: check(*given), manifests()) if fault]
        for fault in faults:
            print(f"examples: error: {fault}", file=sys.stderr)
        sys.exit(1 if faults else 0)


main()
