"""A guest under QEMU: starts, reports, ends.

The guest has three ports to the host besides its console: one carries its one-line reports (`init`, `controllers`,
`adapters`, `ready`, `exit N`, `fault …`), two carry the script's output and errors.
"""
import collections
import os
import pathlib
import selectors
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import prepare
import processes
from terminal import LabError, say

KERNEL_ARGUMENTS = ("console=ttyS0 quiet panic=-1 oops=panic mitigations=off nokaslr random.trust_cpu=on "
                    "cryptomgr.notests=1 tsc=reliable")
ACCELERATORS = {
    "kvm": ["-accel", "kvm", "-cpu", "host"],
    # Without fast string instructions, of which emulation copies a byte at a time: the kernel reads files three times as fast.
    "tcg": ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max,-erms,-fsrm"],
}
# A real KVM is there in less than a second; where it takes longer, emulation is faster.
KVM_TRIAL_SECONDS = 6
ENDING_SECONDS = 20
FOLDER_PREFIX = "hybrid-lab-"


class Guest:
    def __init__(self, parts, accelerator, results, memory):
        self.parts = parts
        self.accelerator = accelerator
        self.results = results
        self.memory = memory
        self.process = None
        self.port = 0
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-", dir="/tmp"))
        self._listeners = {}
        self._channels = {}
        self._selector = selectors.DefaultSelector()
        self._unfinished = b""
        self._terminal = None
        self._reports = collections.deque()

    def start(self, job, console, interactive=False):
        """Starts QEMU. `job` holds the shell variables for the guest, None for a guest that ends after its init."""
        run = "none"
        if job is not None:
            run = str(self._folder)
            # A short path without spaces, for the kernel's command line.
            (self._folder / "guest").symlink_to(prepare.FOLDER / "guest")
            (self._folder / "job").write_text(job, encoding="utf-8")
        command = ["qemu-system-x86_64", "-machine", "q35", *ACCELERATORS[self.accelerator], "-smp", "2",
                   "-m", str(self.memory), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                   "-kernel", str(self.parts.kernel), "-initrd", str(self.parts.first_files),
                   "-append", f"{KERNEL_ARGUMENTS} lab.run={run}",
                   "-chardev", f"file,id=console,path={_quoted(console)}", "-serial", "chardev:console",
                   "-object", "rng-builtin,id=rng0", "-device", "virtio-rng-pci,rng=rng0",
                   "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
                   "-virtfs", f"local,path={_quoted(self.results)},mount_tag=results,security_model=none",
                   "-device", "virtio-serial-pci"]
        for name in ("control", "output", "errors"):
            command += self._port(name)
        if interactive:
            command += ["-chardev", "stdio,id=shell,signal=off", "-device", "virtconsole,chardev=shell"]
        if self.port:
            command += ["-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:{self.port}",
                        "-device", "virtio-net-pci,netdev=net,romfile="]
        errors = subprocess.DEVNULL if job is None else None
        if interactive:
            self._terminal = processes.Terminal()
            self.process = processes.start(command, stderr=errors)
            self._terminal.give(self.process)
        else:
            self.process = processes.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

    def _port(self, name):
        path = str(self._folder / name)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(1)
        listener.setblocking(False)
        self._listeners[name] = listener
        self._selector.register(listener, selectors.EVENT_READ, ("listener", name))
        return ["-chardev", f"socket,id={name},path={path}", "-device",
                f"virtserialport,chardev={name},name=lab.{name}"]

    def reserve_port(self):
        """Chooses a free port of the host for the way to the guest's bus."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def follow(self, until, deadline):
        """Passes the guest's output on until it reports one of `until` (its first word) and returns that report.

        Returns None at the deadline. Throws LabError if the guest ended or could not go on.
        """
        while True:
            while self._reports:
                report = self._reports.popleft()
                word, _, rest = report.partition(" ")
                if word == "fault":
                    self.wait_for_end()
                    raise LabError(f"the guest: {rest}", f"its logs are in {self.results}")
                if word in until:
                    return report
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            ended = self.process.poll() is not None
            heard = self._step(min(left, 0.5))
            if ended and not heard:
                raise LabError(*self._end_of_guest())

    def wait_for_end(self):
        """Passes the last output on: the guest writes its logs and switches itself off after its last report."""
        until = time.monotonic() + ENDING_SECONDS
        while time.monotonic() < until:
            ended = self.process.poll() is not None
            if not self._step(0.1) and ended:
                return

    def ask_to_end(self):
        """Asks the guest to end what it runs, write its logs and switch itself off."""
        control = self._channels.get("control")
        if control and self.process.poll() is None:
            try:
                control.sendall(b"end\n")
            except OSError:
                pass

    def _end_of_guest(self):
        console = self.results / "console.log"
        text = console.read_text(encoding="utf-8", errors="replace") if console.is_file() else ""
        crash = [line for line in text.splitlines() if "Kernel panic" in line or "BUG:" in line or "Oops:" in line]
        if crash:
            return f"the guest's kernel crashed: {crash[0].strip()}", f"the whole of it is in {console}"
        return f"the guest ended early (QEMU: {self.process.returncode})", f"its console is {console}"

    def _step(self, seconds):
        """Takes what has arrived at the ports; false if nothing has."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            kind, name = key.data
            if kind == "listener":
                channel, _ = key.fileobj.accept()
                self._channels[name] = channel
                self._selector.register(channel, selectors.EVENT_READ, ("channel", name))
                continue
            try:
                chunk = key.fileobj.recv(65536)
            except OSError:
                chunk = b""
            if not chunk:
                self._selector.unregister(key.fileobj)
            elif name == "control":
                *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
                self._reports += [line.decode(errors="replace") for line in lines]
            else:
                self._pass_on(sys.stdout if name == "output" else sys.stderr, chunk)
        return bool(ready)

    @staticmethod
    def _pass_on(stream, chunk):
        try:
            stream.buffer.write(chunk)
            stream.flush()
        except BrokenPipeError:
            pass

    def end(self):
        """Ends QEMU and removes the ports' folder; the results stay."""
        if self.process is not None and self.process.poll() is None:
            processes.kill(self.process)
        if self._terminal:
            self._terminal.take_back()
        for endpoint in [*self._channels.values(), *self._listeners.values()]:
            endpoint.close()
        self._selector.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def remove_abandoned_folders():
    """Removes the ports' folders of labs that were killed and could not do it."""
    for folder in pathlib.Path("/tmp").glob(FOLDER_PREFIX + "*"):
        owner = folder.name.removeprefix(FOLDER_PREFIX).partition("-")[0]
        if owner.isdigit() and not pathlib.Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _quoted(path):
    return str(path).replace(",", ",,")


def choose_accelerator(parts, wanted):
    """KVM where it works well, else emulation; what was found is remembered until the next boot of the host."""
    if wanted != "auto":
        return wanted
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    memory = prepare.CACHE / "accelerator"
    if memory.is_file():
        known, _, chosen = memory.read_text(encoding="ascii").partition(" ")
        if known == boot and chosen in ACCELERATORS:
            return chosen
    say(f"trying hardware virtualisation (at most {KVM_TRIAL_SECONDS} s, once)")
    chosen = "kvm" if _boots_with_kvm(parts) else "tcg"
    memory.write_text(f"{boot} {chosen}", encoding="ascii")
    return chosen


def _boots_with_kvm(parts):
    with tempfile.TemporaryDirectory(prefix="lab-trial-") as folder:
        guest = Guest(parts, "kvm", pathlib.Path(folder), 256)
        try:
            guest.start(None, pathlib.Path(folder) / "console.log")
            return guest.follow({"init"}, time.monotonic() + KVM_TRIAL_SECONDS) is not None
        except LabError:
            return False
        finally:
            guest.end()


def shell_variables(values):
    """Values as lines of shell: strings as strings, lists as arrays."""
    lines = []
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            lines.append(f"{name}=({' '.join(shlex.quote(item) for item in value)})")
        else:
            lines.append(f"{name}={shlex.quote(str(value))}")
    return "\n".join(lines) + "\n"
