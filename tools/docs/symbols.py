"""The symbol graphs of modules that are built."""
import functools
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build/debug"


@functools.cache
def toolchain():
    """The folder of the toolchain's programs, and the triple that modules are built for."""
    programs = pathlib.Path(shutil.which("swift") or sys.exit("error: there is no swift")).resolve().parent
    info = subprocess.run(["swift", "-print-target-info"], stdout=subprocess.PIPE, check=True).stdout
    return programs, json.loads(info)["target"]["moduleTriple"]


@functools.cache
def search_paths():
    """Where the modules are, and the C modules that they and their dependencies import."""
    maps = [*ROOT.glob("Sources/*/*/module.modulemap"), *ROOT.glob("Sources/*/*/include/module.modulemap"),
            *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap")]
    folders = [BUILD / "Modules", *(path.parent for path in maps)]
    made = [f"-fmodule-map-file={path}" for path in BUILD.glob("*.build/module.modulemap")]
    return [word for folder in folders for word in ("-I", str(folder))] + [word for path in made for word in ("-Xcc", path)]


def extract(module, access, folder):
    """Puts the symbol graphs of a module, down to this access level, into a folder, which is made."""
    folder.mkdir(parents=True)
    programs, triple = toolchain()
    subprocess.run([programs / "swift-symbolgraph-extract", "-module-name", module, *search_paths(), "-target", triple,
                    "-minimum-access-level", access, "-skip-synthesized-members", "-output-dir", folder], check=True)
