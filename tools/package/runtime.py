#!/usr/bin/env -S python3 -B
"""Copies Swift's static libraries, so that a linker leaves out of them what is not used.

    runtime.py LIBRARIES OBJECTS FOLDER >SCRIPT     LIBRARIES: …/lib/swift_static of the toolchain
                                                    OBJECTS: a file with a path of the program's object files in each line

Swift's compiler marks each public function with SHF_GNU_RETAIN, for programs that look functions up by their names. A static program
cannot, but would hold them all. The copies lack that mark, but for the sections in which the runtime finds types and conformances.

The modules _RegexParser and _FoundationCollections are left out whole. Regular expressions and attributed strings need them, which the
program has not; but a linker takes whole sections, and those of Foundation, in which many functions lie, refer to one another by way of
functions that nothing calls. So are those files of Foundation's about attributed strings, property lists and predicates in which
nothing else stands that others need, and the table of the names of all characters, half a megabyte. The linker's script lets what refers to them end at swift_deletedMethodError, which stops the
program: so does Swift's own compiler where it has removed a method. A program whose own objects use what is not there is refused, or
cannot be linked.
"""
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

RETAIN = 0x200000  # SHF_GNU_RETAIN of elf.h
MEMBER_HEADER = 60  # bytes, of ar(5)
NOBITS = 8  # SHT_NOBITS of elf.h
# Files that are left out of libraries, by parts of their names; then the names of what is in them, as symbols have them.
LEFT_OUT = {"libswift_RegexParser.a": "", "lib_FoundationCollections.a": "",
            "libFoundationEssentials.a": "Attribute[dCS]|FoundationAttributes|Plist|Predicate|^Expression"}
NAMES_LEFT_OUT = re.compile("12_RegexParser|22_FoundationCollections|20FoundationEssentials.*(Attribute|Plist|Predicate|Expression)")
# The function that reads the table of the characters' names.
NAMES = "_swift_stdlib_getScalarName"
# How the symbols begin that a program refers to if it uses what is left out.
FORBIDDEN = {"$s17_StringProcessing5RegexV": "regular expressions", "$ss7UnicodeO6ScalarV10PropertiesV4name": "names of characters"}


def release(data, start):
    """Takes the mark from the sections of the ELF file of 64 bits that starts here; those that the runtime reads have no dot."""
    if data[start:start + 5] != b"\x7fELF\x02":
        return
    headers = start + struct.unpack_from("<Q", data, start + 0x28)[0]
    size, count, names_index = struct.unpack_from("<HHH", data, start + 0x3A)
    first = struct.unpack_from("<QQII", data, headers + 0x18)  # Large numbers stand in the first header: of sections, of names.
    count, names_index = count or first[1], first[2] if names_index == 0xFFFF else names_index
    names = start + struct.unpack_from("<Q", data, headers + names_index * size + 0x18)[0]
    for header in range(headers, headers + count * size, size):
        name, flags = struct.unpack_from("<I4xQ", data, header)
        if flags & RETAIN and data[names + name:names + name + 1] == b".":
            struct.pack_into("<Q", data, header + 8, flags & ~RETAIN)
        # 64 KiB of zeros, for a reporter of crashes that is switched off (ProcessProtection).
        if data[names + name:names + name + 17] == b"swift5_backtrace\0":
            struct.pack_into("<I", data, header + 4, NOBITS)


def copy_archive(source, copy):
    data = bytearray(source.read_bytes())
    at = len(b"!<arch>\n")
    while at < len(data):
        size = int(data[at + 48:at + 58])
        release(data, at + MEMBER_HEADER)
        at += MEMBER_HEADER + size + size % 2
    copy.write_bytes(data)


def symbols(which, paths):
    """The public symbols that objects define, or refer to and do not define."""
    command = ["llvm-nm", "--quiet", "--extern-only", "--format=just-symbols", which, *paths]
    return set(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n"))


def take_out(archive, pattern):
    """Takes the files whose names fit out of an archive, unless others in it need more of them than that.

    Returns the symbols that they define."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["llvm-ar", "x", archive.resolve()], cwd=folder, check=True)
        files = {file.name: (symbols("--defined-only", [file]), symbols("--undefined-only", [file])) for file in pathlib.Path(folder).iterdir()}
    chosen = {file for file in files if re.search(pattern, file)}
    while True:
        needed = {name for file in set(files) - chosen for name in files[file][1] if name and not NAMES_LEFT_OUT.search(name)}
        fit = {file for file in chosen if not files[file][0] & needed}
        if fit == chosen:
            break
        chosen = fit
    subprocess.run(["llvm-ar", "d", archive, *sorted(chosen)], check=True)
    return {name for file in chosen for name in files[file][0]}


def main(libraries, objects, folder):
    removed = set()
    for source in pathlib.Path(libraries).rglob("*"):
        copy = pathlib.Path(folder) / source.relative_to(libraries)
        if source.is_dir() and not source.is_symlink():
            copy.mkdir(parents=True, exist_ok=True)
        elif source.suffix == ".a" and source.read_bytes()[:8] == b"!<arch>\n":
            copy_archive(source, copy)
            if source.name in LEFT_OUT:
                removed |= take_out(copy, LEFT_OUT[source.name])
        elif not copy.is_symlink():
            copy.symlink_to(os.path.realpath(source))
    used = symbols("--undefined-only", shlex.split(pathlib.Path(objects).read_text()))
    for start, what in FORBIDDEN.items():
        found = sorted(name for name in used if name.startswith(start))
        if found:
            sys.exit(f"runtime: error: the program uses {what}, which are left out: {' '.join(found)}")
    print(f"{NAMES} = swift_deletedMethodError;")
    for name in sorted(removed - used):
        if NAMES_LEFT_OUT.search(name):
            print(f'PROVIDE("{name}" = swift_deletedMethodError);')


main(*sys.argv[1:])
