#!/usr/bin/python3 -B
"""Tries hybrid-conformance as one static file, which tools/static/run has made, as root.

    tools/static/check.py FOLDER

The container's tree, as its recipe makes it, has the file and nothing else: there it reads the vectors, and tests a tunnel service by the
name localhost and by one of DNS. A second tree has a client and an authenticator, which it starts, and the libraries that these need,
among them some that say so when a program loads them. Then the action's script is run with what the article on continuous integration
gives it. All is in a network of its own, without any other machine.
"""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / ".build-package"
ARTICLE = ROOT / "Sources/Conformance/Conformance/Conformance.docc/TestingInContinuousIntegration.md"
PROGRAM = "hybrid-conformance"
LIMIT = 300
DEVIATES, USAGE, FILE = 21, 64, 18  # exit codes
PEER = "peer.example"
SERVER = "127.0.0.11"  # where containers have one
# The peers' command lines, as the runner takes them.
COMMON = ["--timeout", "3", "--radio", "{radio}", "--tunnel", "{tunnel}", "--ca", "{ca}"]
AUTHENTICATOR = ["/hybrid", "authenticator", "answer", "{url}", "--yes", "--ephemeral", *COMMON]
CLIENT = ["/hybrid", "client", "register", "--rp-id", "conformance.example", "--user", "alice", "--qr", "url",
          "--state", "{dir}/state", *COMMON]  # fmt: skip
CASES = {
    "authenticator": ["code/makes-passkey", "advert/nonce", "handshake/wrong-psk", "advert/service"],
    "client": ["tunnel/session", "advert/duplicates", "handshake/wrong-psk", "handshake/wrong-static-key"],
    "tunnel-service": ["new/accepted", "connect/accepted", "relay/both-ways-at-once"],
}
# Creates a file when it is loaded, into any process, and needs no other library: open("/loaded", O_CREAT | O_WRONLY, 0600).
LOADED = """__attribute__((constructor)) static void note(void) {
    long number = 2;
    __asm__ volatile("syscall" : "+a"(number) : "D"("/loaded"), "S"(0101), "d"(0600) : "rcx", "r11", "memory");
}
"""


class Failed(Exception):
    pass


def demand(condition, what):
    if not condition:
        raise Failed(what)


def ok(what):
    print(f"ok    {what}", flush=True)


def run(command, expected=0, **options):
    """What a command prints, which must end with this status; with any if that is None."""
    words = [*map(str, command)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False, **options)
    demand(expected in (None, done.returncode), f"{' '.join(words)}: ended with {done.returncode} instead of {expected}:\n{done.stdout}")
    return done.stdout


def within(tree, *command, expected=0):
    """What a command prints in a tree, which has nothing of this machine but /proc."""
    enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
    into = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, tree]
    return run([*into, *command], expected, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, cwd="/")


def verdicts(role, told):
    """The cases of a role that passed, by what the runner printed; all must have."""
    found = re.search(r"^(\d+) cases in \d+ s: (\d+) passed, 0 deviate", told, re.M)
    demand(found and int(found[1]) == int(found[2]) == len(CASES[role]), f"not all cases of {role} passed:\n{told}")
    return int(found[2])


def filters(role):
    return [word for name in CASES[role] for word in ("--filter", f"{role}/{name}")]


def image(folder, tree):
    """Makes the tree of a container, as its recipe says; the command that it runs."""
    entry = None
    for line in (folder / "Containerfile").read_text().splitlines():
        name, _, rest = line.partition(" ")
        if name == "ADD":
            pattern, place = rest.split()
            [archive] = folder.glob(pattern)
            run(["tar", "-xJf", archive, "-C", tree / place.lstrip("/")])
        elif name == "WORKDIR":
            (tree / rest.lstrip("/")).mkdir()
        elif name == "ENTRYPOINT":
            entry = yaml.safe_load(rest)
        else:
            demand(name == "#" or line == "FROM scratch", f"the recipe has the line {line}, which is not tried")
    demand(sorted(path.name for path in tree.iterdir()) == sorted(["LICENSE", "NOTICE", "built-with", PROGRAM, "tmp"]),
           "the container has other files than the archive's")
    (tree / "proc").mkdir()  # which every container has
    return entry


def headers(program):
    """Demands that the file needs no other, and gives somebody who writes into its memory little to find."""
    text = run(["readelf", "-hldW", program])
    demand("INTERP" not in text and "NEEDED" not in text, f"the program needs other files:\n{text}")
    for pattern in (r"Type: +DYN", r"FLAGS_1.* PIE", r"^ +GNU_RELRO ", r"^ +GNU_STACK .* RW +0"):
        demand(re.search(pattern, text, re.M), f"the program's headers lack {pattern}")
    demand(not re.search(r"^ +(LOAD|GNU_STACK) .* RWE ", text, re.M) and "TEXTREL" not in text, "the program can write its code")
    names = run(["strings", "-n", "5", program])
    for path in (str(ROOT), os.path.expanduser("~") + "/", "/opt/"):
        demand(path not in names, f"the program names the folder {path} of this machine")


def answer_names():
    """A server of DNS that knows one name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((SERVER, 53))
        ready.set()
        while True:
            query, asker = server.recvfrom(512)
            end = query.index(b"\0", 12) + 5
            labels = b"".join(bytes([len(label)]) + label.encode() for label in PEER.split("."))
            known, is_a = query[12:end - 5] == labels, query[end - 4:end - 2] == b"\0\1"
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\x05\0\4\x7f\0\0\1" if known and is_a else b""
            head = query[:2] + (b"\x81\x80" if known else b"\x81\x83") + b"\0\1" + (b"\0\1" if answer else b"\0\0") + b"\0\0\0\0"
            server.sendto(head + query[12:end] + answer, asker)


ready = threading.Event()


@contextlib.contextmanager
def service(folder):
    """A tunnel service on loopback; its port, and its certificate."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:localhost,DNS:{PEER}", "-keyout", key, "-out", certificate])
    command = [PACKAGE / "hybrid-tunnel-service", "--listen", "127.0.0.1:0", "--certificate", certificate, "--key", key,
               "--contact-secret", folder / "secret", "--host-name", "localhost", "--pending-tunnels-per-address", "256"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            line = next((line for line in process.stdout if "listening on" in line), "")
            demand(line, "the tunnel service does not start")
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield re.search(r":(\d+)", line.partition("//")[2])[1], certificate
        finally:
            process.kill()


def alone(folder, scratch):
    """The file and nothing else."""
    tree = scratch / "alone"
    tree.mkdir()
    [program] = image(folder, tree)
    with contextlib.suppress(Failed):
        headers(PACKAGE / PROGRAM)
        sys.exit("static: error: the program of the package, which needs libraries, is taken for a static one")
    headers(tree / PROGRAM)
    ok("one file: no interpreter, no library; PIE, RELRO, no code on the stack, no folder of this machine")
    version = within(tree, program, "--version").strip()
    demand(f"_{version}_" in next(folder.glob("*.tar.xz")).name, f"the archive is not of version {version}")
    shutil.copytree(ROOT / "Vectors", tree / "Vectors")
    told = within(tree, program, "vectors", "check", "/Vectors")
    found = re.search(r"^\d+ files: \d+ cases, (\d+) passed, 0 failed, 0 not offered$", told, re.M)
    demand(found, f"not all vectors passed:\n{told}")
    ok(f"in a tree with nothing else: {found[1]} vectors passed")
    told = within(tree, program, "client", "--", "true", expected=10)
    demand("is static" in told and "udp:" in told, f"it does not say that it has no Bluetooth:\n{told}")
    with service(scratch) as (port, certificate):
        shutil.copy(certificate, tree)

        def passed(name):
            words = [f"wss://{name}:{port}", "--ca", "/cert.pem", *filters("tunnel-service")]
            return verdicts("tunnel-service", within(tree, program, "tunnel-service", *words))

        ok(f"localhost: {passed('localhost')} cases passed, and there is no /etc/hosts, nor an authority of the system")
        told = within(tree, program, "tunnel-service", "wss://localhost:1", "--ca", "/cert.pem", expected=13)
        demand("nothing answers at localhost:1" in told, f"it does not say why there is no service:\n{told}")
        told = within(tree, program, "tunnel-service", f"wss://localhost:{port}", expected=USAGE)
        demand("hint: give the service's certificate with --ca" in told, f"it does not say what lacks:\n{told}")
        (tree / "etc").mkdir()
        (tree / "etc/resolv.conf").write_text(f"nameserver {SERVER}\n")
        threading.Thread(target=answer_names, daemon=True).start()
        ready.wait()
        ok(f"{PEER}, by DNS: {passed(PEER)} cases passed")


def libraries(program):
    return re.findall(r"(/\S+) \(0x", run(["ldd", program]))


def peers(scratch):
    """A tree with a peer, what the peer needs, and libraries that nothing may load."""
    tree = scratch / "peers"
    for name in ("proc", "tmp", "etc/ssl/certs", "usr/lib/ssl"):
        (tree / name).mkdir(parents=True)
    (tree / "etc/hosts").write_text("127.0.0.1 localhost\n")
    shutil.copy(scratch / "cert.pem", tree / "etc/ssl/certs/ca-certificates.crt")
    shutil.copy(scratch / "alone" / PROGRAM, tree)
    shutil.copy(PACKAGE / PROGRAM, tree / "dynamic")
    shutil.copy(PACKAGE / "hybrid", tree)
    for library in {each for name in ("hybrid", PROGRAM) for each in libraries(PACKAGE / name)}:
        (tree / library.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, tree / library.lstrip("/"))
    return tree


def roles(tree):
    for role, command in (("authenticator", AUTHENTICATOR), ("client", CLIENT)):
        told = within(tree, f"/{PROGRAM}", role, "--radio", "udp:", *filters(role), "--report", "/report", "--", *command)
        demand((tree / "report/report.json").stat().st_size > 0, "there is no report")
        ok(f"{role}: {verdicts(role, told)} cases passed")


def hostile(tree, scratch):
    """Libraries of this machine that say so when they are loaded: by NSS, by OpenSSL, by the program itself."""
    (scratch / "note.c").write_text(LOADED)
    where = next(path.parent for path in tree.rglob("libc.so.6"))
    library, configuration = where / "libnss_hostile.so.2", tree / "usr/lib/ssl/openssl.cnf"
    run(["gcc", "-shared", "-nostdlib", "-fPIC", "-o", library, scratch / "note.c"])
    shutil.copy(library, where / "libsystemd.so.0")
    (tree / "etc/nsswitch.conf").write_text("passwd: hostile files\nhosts: hostile files dns\n")
    module = f"module = /{library.relative_to(tree)}"
    provider = f"openssl_conf = all\n[all]\nproviders = each\n[each]\nhostile = it\n[it]\nactivate = 1\n{module}\n"
    attempts = {
        "NSS": (["tunnel-service", "ws://nobody.invalid:1", "--timeout", "1"], 13, ""),
        "libsystemd": (["client", "--", "true"], 10, ""),
        "OpenSSL": (["tunnel-service", "ws://127.0.0.1:1", "--timeout", "1"], 13, provider),
    }
    for name, (words, status, text) in attempts.items():
        configuration.write_text(text)
        for program, loads in (("/dynamic", True), (f"/{PROGRAM}", False)):
            (tree / "loaded").unlink(missing_ok=True)
            within(tree, program, *words, expected=None if loads else status)
            wrong = f"{name}: {program} {'does not load' if loads else 'loads'} a library of the machine"
            demand((tree / "loaded").exists() == loads, wrong)
    ok(f"no library of the machine is loaded by {', '.join(attempts)}; the program of the package loads each")


def act(folder, place, inputs, expected=0):
    """Runs the action's script as GitHub does; what it prints."""
    action = yaml.safe_load((folder / "action.yml").read_text())
    demand(not set(inputs) - set(action["inputs"]), f"the action has no input {set(inputs) - set(action['inputs'])}")
    missing = [name for name, each in action["inputs"].items() if each.get("required") and name not in inputs]
    demand(not missing, f"the action needs {missing}")
    context = {f"inputs.{name}": inputs.get(name, each.get("default")) for name, each in action["inputs"].items()}
    context["github.action_path"] = str(folder)
    demand(action["runs"]["using"] == "composite", "the action is not composite")
    [step] = action["runs"]["steps"]
    demand(set(step) == {"shell", "env", "run"} and "${{" not in step["run"], "the action's step is another than is tried")
    variables = {name: context[re.fullmatch(r"\$\{\{ (.+) \}\}", text)[1]] for name, text in step["env"].items()}
    (place / "script").write_text(step["run"])
    shell = [step["shell"], "--noprofile", "--norc", "-eo", "pipefail"]
    return run([*shell, place / "script"], expected, cwd=place, env=os.environ | variables)


def article(folder, scratch):
    """The article's job, with a peer of the name that is in it, and a few cases of all."""
    place = scratch / "job"
    place.mkdir()
    [job] = re.findall(r"^```yaml\n(.*?)^```", ARTICLE.read_text(), re.M | re.S)
    [step] = [step for step in yaml.safe_load(job)["jobs"]["conformance"]["steps"] if "role" in step.get("with", {})]
    demand(step["uses"] == "./.github/actions/hybrid-conformance", f"the article uses {step['uses']}")
    inputs = step["with"]
    peer = place / inputs["command"].split()[0]
    peer.write_text(f'#!/bin/sh\nexec {PACKAGE}/hybrid authenticator answer --yes --ephemeral --timeout 3 "$@"\n')
    peer.chmod(0o755)
    few = inputs.get("options", "") + " " + " ".join(filters("authenticator"))
    first = {name: value for name, value in inputs.items() if name != "expected"}
    verdicts("authenticator", act(folder, place, first | {"options": f"{few} --write-expected '{inputs['expected']}'"}))
    verdicts("authenticator", act(folder, place, inputs | {"options": few}))
    demand((place / inputs["report"] / "report.json").exists(), "the action leaves no report")
    # Nothing that is put into the other inputs is run.
    hostile = "$(touch run)`touch run`; touch run"
    act(folder, place, inputs | {"role": hostile}, USAGE)
    act(folder, place, inputs | {"options": few, "report": hostile, "expected": hostile}, FILE)
    demand(not (place / "run").exists(), "the action has run what was in an input")
    text = (place / inputs["expected"]).read_text()
    (place / inputs["expected"]).write_text(re.sub(r"^(\S+) passed.*", r"\1 deviates fails", text, count=1, flags=re.M))
    act(folder, place, inputs | {"options": few}, DEVIATES)
    ok("the action, as in the article: passes, and fails where a verdict is another than expected")


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    if not os.environ.get("HYBRID_STATIC_NETWORK"):
        os.environ["HYBRID_STATIC_NETWORK"] = "own"
        own = ["unshare", "--net", "--mount-proc", "--pid", "--fork", "--kill-child", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']
        os.execvp("unshare", [*own, __file__, *arguments])
    folder = pathlib.Path(arguments[0]).absolute()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        try:
            alone(folder, scratch)
            tree = peers(scratch)
            roles(tree)
            hostile(tree, scratch)
            article(folder, scratch)
        except Failed as error:
            sys.exit(f"static: error: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
