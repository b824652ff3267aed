"""Everything a guest is made of: Debian packages, the kernel, the first file system, the emulator.

All of it is made once and kept in .build-lab; a run needs no network.
"""
import fcntl
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from terminal import LabError, say

FOLDER = pathlib.Path(__file__).resolve().parent
CHECKOUT = FOLDER.parent.parent
CACHE = CHECKOUT / ".build-lab"

PACKAGES = ["qemu-system-x86", "bluez", "bluez-source", "busybox-static", "cpio", "kmod", "dbus", "gcc", "libc6-dev",
            "patch", "bzip2", "iproute2", "systemd"]
PACKAGES_ON_REAL = ["bluez", "dbus", "systemd"]
PROGRAMS = {"systemd": "busctl"}

# In the order in which they are loaded: what reaches the host's files and ports.
FIRST_MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay", "virtio-rng"]
# What the guest or a script in it may load later, with all that these depend on.
LATER_MODULES = ["bluetooth", "hci_vhci", "uhid", "hid-generic", "af_alg", "algif_hash", "algif_skcipher",
                 "algif_aead", "ecb", "cmac", "ccm", "rfcomm", "bnep", "hidp", "bluetooth_6lowpan", "virtio_net"]

EMULATOR_PATCHES = [FOLDER / "emulator" / name for name in ("btvirt-on-air.patch", "btvirt-faults.patch")]
EMULATOR_SOURCES = (
    [f"emulator/{name}.c" for name in "main serial server vhci btdev bthost smp phy amp le".split()]
    + [f"src/shared/{name}.c" for name in
       "mainloop io-mainloop timeout-mainloop mainloop-notify util queue crypto ecc".split()]
    + ["lib/bluetooth.c", "lib/hci.c"])


def run(command, **options):
    """Runs a program that must succeed, and returns what it printed."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                            **options)
    if result.returncode != 0:
        ending = "\n".join(result.stdout.strip().splitlines()[-5:])
        raise LabError(f"{command[0]} failed ({result.returncode}): {ending}")
    return result.stdout


def install(packages):
    """Installs Debian packages that are missing."""
    if not shutil.which("dpkg-query"):
        raise LabError("this is not a Debian system", "run the lab on Debian 12 or newer, or in its container")
    missing = [name for name in packages if not _is_installed(name)]
    if not missing:
        return
    say(f"installing Debian packages: {' '.join(missing)}")
    command = ([] if os.geteuid() == 0 else ["sudo"]) + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    wanted = ["install", "-y", "-qq", "--no-install-recommends", *missing]
    try:
        run(command + wanted)
    except LabError:
        # Old package lists name versions that the archive no longer has.
        say("updating the package lists")
        run(command + ["update", "-qq"])
        run(command + wanted)


def _is_installed(package):
    program = PROGRAMS.get(package)
    if program and shutil.which(program):
        return True
    result = subprocess.run(["dpkg-query", "-W", "-f=${Status}", package], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True, check=False)
    return "ok installed" in result.stdout


class Parts:
    """Where the parts of a guest are."""

    def __init__(self):
        self.kernel = CACHE / "kernel" / "vmlinux"
        self.modules = CACHE / "kernel" / "modules"
        self.first_files = CACHE / "first-files" / "first-files.cpio"
        self.emulator = CACHE / "emulator" / "btvirt"


def prepare():
    """Makes what is missing or outdated, and returns where it is."""
    CACHE.mkdir(exist_ok=True)
    with open(CACHE / "lock", "w", encoding="ascii") as lock:
        # Labs may be started at the same time; one prepares for all.
        fcntl.flock(lock, fcntl.LOCK_EX)
        install(PACKAGES)
        _make("kernel", f"{FIRST_MODULES} {LATER_MODULES}", [], _make_kernel)
        _make("emulator", f"{EMULATOR_SOURCES}", EMULATOR_PATCHES, _make_emulator)
        _make("first-files", "", [FOLDER / "guest" / "init", CACHE / "kernel" / "stamp"], _make_first_files)
    return Parts()


def _make(name, settings, sources, maker):
    """Fills .build-lab/NAME unless that was done from the same sources; nothing half done is left there."""
    digest = hashlib.sha256(b"".join([settings.encode(), *(source.read_bytes() for source in sources)])).hexdigest()
    place = CACHE / name
    stamp = place / "stamp"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest:
        return
    work = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}.", dir=CACHE))
    work.chmod(0o755)
    try:
        maker(work)
        (work / "stamp").write_text(digest, encoding="ascii")
        shutil.rmtree(place, ignore_errors=True)
        work.rename(place)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _make_kernel(work):
    depends = run(["apt-cache", "depends", "linux-image-amd64"])
    found = re.search(r"Depends: (linux-image-\S+)", depends)
    if not found:
        raise LabError("no Debian kernel is known to apt", "run apt-get update")
    say(f"fetching and unpacking the kernel {found.group(1)} (70 MB, once)")
    try:
        run(["apt-get", "download", "-qq", found.group(1)], cwd=work)
    except LabError:
        say("updating the package lists")
        run(([] if os.geteuid() == 0 else ["sudo"]) + ["apt-get", "update", "-qq"])
        found = re.search(r"Depends: (linux-image-\S+)", run(["apt-cache", "depends", "linux-image-amd64"]))
        run(["apt-get", "download", "-qq", found.group(1)], cwd=work)
    package = next(work.glob("*.deb"))
    run(["dpkg-deb", "-x", package.name, "unpacked"], cwd=work)
    package.unlink()
    image = next((work / "unpacked" / "boot").glob("vmlinuz-*"))
    (work / "vmlinux").write_bytes(_uncompressed(image.read_bytes()))
    root = work / "unpacked"
    version = image.name.removeprefix("vmlinuz-")
    run(["depmod", "-b", str(root), version])
    modules = work / "modules"
    order = {"first": _with_dependencies(root, version, FIRST_MODULES),
             "later": _with_dependencies(root, version, LATER_MODULES)}
    source = root / "lib" / "modules" / version
    for path in {path for paths in order.values() for path in paths}:
        target = work / "chosen" / "lib" / "modules" / version / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for extra in source.glob("modules.*"):
        shutil.copyfile(extra, work / "chosen" / "lib" / "modules" / version / extra.name)
    run(["depmod", "-b", str(work / "chosen"), version])
    (work / "chosen" / "lib" / "modules" / version).rename(modules)
    names = [str(path.relative_to(source)) for path in order["first"]]
    (work / "first-order").write_text("\n".join(names) + "\n", encoding="utf-8")
    shutil.rmtree(root)
    shutil.rmtree(work / "chosen")


def _uncompressed(image):
    """The kernel proper, which QEMU enters directly: that saves the guest from unpacking it, seconds without KVM."""
    start = image.find(b"\xfd7zXZ\x00")
    if start < 0:
        return image
    return lzma.LZMADecompressor().decompress(image[start:])


def _with_dependencies(root, version, names):
    paths = []
    for name in names:
        shown = subprocess.run(["modprobe", "-d", str(root), "-S", version, "--show-depends", name],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        for line in shown.splitlines():
            words = line.split()
            if words and words[0] == "insmod":
                path = pathlib.Path(words[1])
                if path not in paths:
                    paths.append(path)
    return paths


def _make_first_files(work):
    files = work / "files"
    (files / "bin").mkdir(parents=True)
    shutil.copyfile(shutil.which("busybox") or "/bin/busybox", files / "bin" / "busybox")
    shutil.copyfile(FOLDER / "guest" / "init", files / "init")
    (files / "bin" / "busybox").chmod(0o755)
    (files / "init").chmod(0o755)
    for name in ["dev", "proc", "sys", "modules"]:
        (files / name).mkdir()
    order = []
    for path in (CACHE / "kernel" / "first-order").read_text(encoding="utf-8").split():
        name = path.rpartition("/")[2]
        shutil.copyfile(CACHE / "kernel" / "modules" / path, files / "modules" / name)
        order.append(name)
    (files / "modules" / "order").write_text("\n".join(order) + "\n", encoding="utf-8")
    names = "\n".join(sorted(str(path.relative_to(files)) for path in files.rglob("*")))
    with open(work / "first-files.cpio", "wb") as archive:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=files, input=names.encode(), stdout=archive,
                       check=True)
    shutil.rmtree(files)


def _make_emulator(work):
    say("building the controllers' emulator from Debian's BlueZ source (about 30 s, once)")
    run(["tar", "-xjf", "/usr/src/bluez.tar.bz2", "--strip-components=1", "--wildcards", "bluez-source/emulator/*.[ch]",
         "bluez-source/src/shared/*.[ch]", "bluez-source/lib/*.[ch]", "bluez-source/monitor/*.h",
         "bluez-source/config.h"], cwd=work)
    try:
        for patch in EMULATOR_PATCHES:
            run(["patch", "-p1", "--dry-run", "-i", str(patch)], cwd=work)
            run(["patch", "-p1", "-i", str(patch)], cwd=work)
    except LabError:
        say("warning: this BlueZ is not 5.66, so the emulator is built without all of the patches: an advert is reported "
            "only once and more than 31 bytes end it, or the air has no faults")
    run(["gcc", "-O1", "-w", "-DHAVE_CONFIG_H", "-I.", "-Ilib", "-o", "btvirt", *EMULATOR_SOURCES], cwd=work)
    for path in work.iterdir():
        if path.name != "btvirt":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
