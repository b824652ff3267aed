"""Looks for secrets in the memory of an authenticator that signs in: when it advertises, when it has answered, and at its end."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

from reader import Vault

PASSPHRASE = b"correct horse battery staple 4711"
AT_TERMINAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/CommandLineTests/Peers/at_terminal.py")
GDB = ["gdb", "-nx", "-batch", "-iex", "set auto-solib-add off", "-iex", "set debuginfod enabled off"]


def forms(secret):
    """How it may lie in memory: as it is, or as a number of libcrypto's, whose words are little-endian."""
    return {secret, secret[::-1], secret.hex().encode()}


def count(memory, secret):
    return sum(memory.count(form) for form in forms(secret))


def memory_of(process):
    """All that can be read of a stopped process's memory."""
    parts = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        for line in maps:
            start, end, mode = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if not mode.startswith("rw"):
                continue
            try:
                memory.seek(int(start, 16))
                parts.append(memory.read(int(end, 16) - int(start, 16)))
            except OSError:
                pass
    return b"\n".join(parts)


class Program:
    def __init__(self, folder, *command, **options):
        self.path = os.path.join(folder, f"{time.monotonic_ns()}.out")
        self.output = open(self.path, "w")
        self.process = subprocess.Popen(command, stdout=self.output, stderr=subprocess.STDOUT, cwd=folder, **options)

    def expect(self, pattern):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = re.search(pattern, open(self.path).read(), re.MULTILINE)
            if found:
                return found.group(1) if found.groups() else found.group()
            time.sleep(0.02)
        raise AssertionError(f"{pattern} does not come:\n{open(self.path).read()}")


def ceremony(hybrid, folder, tunnel, command):
    radio = "udp:127.0.0.1:29871"
    ends = ["--radio", radio, "--tunnel", tunnel]
    client = Program(folder, hybrid, "client", *command, "--rp-id", "example.com", "--state", "state", "--qr", "url", *ends)
    url = client.expect(r"^(FIDO:/\d+)$")
    approving = [sys.executable, AT_TERMINAL, "approve? [y/n]=y", f"the passphrase of the vault={PASSPHRASE.decode()}", "--"]
    return client, [*approving, hybrid, "authenticator", "answer", url, "--verify", "passphrase", "--vault", "memory.vault",
                    "--passphrase-file", "passphrase", *ends]


def look(hybrid, folder):
    if os.geteuid() != 0:
        print("memory: skipped: the process does not let its own user look, so this needs root")
        return
    with open(os.path.join(folder, "passphrase"), "wb") as file:
        file.write(PASSPHRASE + b"\n")
        os.fchmod(file.fileno(), 0o600)
    service = Program(folder, hybrid, "tunnel-service", "--listen", "127.0.0.1:0", "--plain")
    try:
        tunnel = service.expect(r"listening on (ws://\S+)")
        client, answer = ceremony(hybrid, folder, tunnel, ["register", "--user", "alice"])
        subprocess.run(answer, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        client.process.wait()
        vault = Vault(open(os.path.join(folder, "memory.vault"), "rb").read(), passphrase=PASSPHRASE)
        print(f"memory: scrypt's cost was calibrated to {vault.cost}")
        secrets = {"passphrase": PASSPHRASE, "scrypt's key": vault.wrapping_key, "vault key": vault.key,
                   "private key": vault.private_keys[0]}
        if vault.prf_secrets:
            secrets["prf secret"] = vault.prf_secrets[0]

        client, answer = ceremony(hybrid, folder, tunnel, ["sign-in"])
        client.process.send_signal(signal.SIGSTOP)
        authenticator = Program(folder, *answer)
        authenticator.expect("advertising that this device is near")
        # The child of what plays its terminal.
        terminal = authenticator.process.pid
        with open(f"/proc/{terminal}/task/{terminal}/children", encoding="ascii") as children:
            process = int(children.read().split()[0])
        os.kill(process, signal.SIGSTOP)
        time.sleep(0.2)
        report("while it advertises", memory_of(process), secrets)
        # Found, if it were there: a secret that is still needed is.
        os.kill(process, signal.SIGCONT)
        if not shutil.which("gdb"):
            print("memory at the end: skipped: there is no gdb")
            client.process.send_signal(signal.SIGCONT)
            return
        dump = os.path.join(folder, "core")
        debugger = Program(folder, *GDB, "-p", str(process), "-ex", "catch syscall exit_group", "-ex", "continue", "-ex",
                           f"gcore {dump}", "-ex", "detach")
        debugger.expect("Catchpoint")
        time.sleep(1)
        client.process.send_signal(signal.SIGCONT)
        debugger.process.wait(60)
        authenticator.process.wait(60)
        client.process.wait(60)
        assert client.process.returncode == 0 and authenticator.process.returncode == 0, open(authenticator.path).read()
        found = report("at its end, in a core dump", open(dump, "rb").read(), secrets)
        log = b"".join(open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder) if name.endswith(".out"))
        found += report("in all that was written to the terminal", log, secrets)
        assert not found, f"{found} were found"
    finally:
        service.process.terminate()
        service.process.wait()


def report(when, memory, secrets):
    counts = {name: count(memory, secret) for name, secret in secrets.items()}
    print(f"memory {when}: {len(memory) >> 10} KiB searched; " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    return [name for name, n in counts.items() if n]
