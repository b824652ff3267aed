"""Has libraries that are not this project's run the vectors, from the packages alone, as their users would."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE.parents[1] / ".build-peers"
BOUNCY_CASTLE = "/usr/share/java/bcprov.jar"


def run(*command, folder, **environment):
    ran = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})
    return ran.returncode, ran.stdout


def expect(what, told, pattern, code=0):
    """Says what a run came to; it must have ended so, and have said that."""
    found = re.search(pattern, told[1])
    if told[0] != code or not found:
        sys.exit(f"{told[1][-3000:]}\nvector-packages: error: {what}: it ended with {told[0]}, and {pattern} should be said")
    print(f"ok    {what}: {found[0]}", flush=True)


def python(wheel, folder):
    """The wheel in an environment that has nothing else of this project's, and no network."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", venv], check=True)
    site = next((venv / "lib").glob("python3*/site-packages"))
    # The foreign libraries are where tools/setup has put them.
    (site / "peers.pth").write_text(f"{next((PEERS / 'lib').glob('python3*/site-packages'))}\n")
    program = venv / "bin/python3"
    install = run(program, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check", wheel, folder=folder)
    expect("the wheel is installed", (install[0], install[1] or "installed"), "installed")
    tests = folder / "tests"
    tests.mkdir()
    for consumer in HERE.glob("consumers/test_*.py"):
        shutil.copy(consumer, tests)
    expect("cbor2, fido2 and cryptography by the wheel", run(program, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, folder=folder),
           r"\d{3} passed, \d+ xfailed")
    # What is wrong is seen: a padding that is one byte too long, an expectation that does not hold, and a name that is none.
    for consumer in tests.iterdir():
        consumer.unlink()
    (tests / "test_wrong.py").write_text(
        'hybrid_operations = {"transport.pad": lambda message: message + bytes(33 - len(message) % 32)}\n'
        'def test_hybrid(hybrid_case): hybrid_case()\n')
    expect("a wrong implementation", run(program, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, folder=folder), r"\d+ failed", code=1)
    (tests / "test_wrong.py").write_text(
        'hybrid_operations = {"transport.unpad": lambda padded: padded[:-padded[-1] - 1]}\nhybrid_refusals = (IndexError,)\n'
        'hybrid_expected_failures = {"NAME": "no reason"}\ndef test_hybrid(hybrid_case): hybrid_case()\n')
    expect("an expectation of no case", run(program, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests, folder=folder),
           "no such operation or case: NAME", code=2)


def java(jar, folder):
    path = f"{jar}:{BOUNCY_CASTLE}"
    built = run("javac", "-cp", path, "-d", folder, HERE / "consumers/BouncyCastle.java", folder=folder)
    expect("Bouncy Castle's consumer is built", (built[0], built[1] or "built"), "built")
    expect("Bouncy Castle by the jar", run("java", "-cp", f"{path}:{folder}", "BouncyCastle", folder=folder), r"\d{3} cases, 0 wrong")
    expect("a wrong implementation", run("java", "-cp", f"{path}:{folder}", "BouncyCastle", "wrong", folder=folder), r"\d+ cases, [1-9]\d* wrong",
           code=1)


def sources(archive, folder):
    subprocess.run(["tar", "-x", "-f", archive, "-C", folder], check=True)
    unpacked = next(folder.glob("hybrid-transport-vectors-*"))
    for name, command, pattern in (("cargo", ["cargo", "test", "--offline", "--quiet"], "1 passed"),
                                   ("go", ["go", "test", "./..."], r"ok\s+hybrid-transport-vectors"),
                                   ("swift", ["swift", "build"], "Build complete!")):
        if not shutil.which(name):
            print(f"not run: there is no {name} here")
            continue
        expect(f"the sources, by {name}", run(*command, folder=unpacked, CARGO_TARGET_DIR=str(folder / "target"), GOFLAGS="-mod=mod",
                                             HYBRID_COVERAGE=""), pattern)


def debian(package, folder):
    root = folder / "root"
    subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    readers = root / "usr/share/doc/hybrid-transport-vectors/examples/read-vectors"
    expect("the Debian package's own reader", run(PEERS / "bin/python3", readers, root / "usr/share/hybrid-transport-vectors", folder=folder),
           r": \d+ cases in \d+ files, 0 failed")


def check(wheel, jar, archive, package):
    for each, made in ((python, wheel), (java, jar), (sources, archive), (debian, package)):
        with tempfile.TemporaryDirectory() as folder:
            each(made, pathlib.Path(folder))
    return 0
