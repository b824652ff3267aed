"""Writes a KDBX 4 file whose key takes the most rounds of AES that are accepted, runs a program that reads it, and interrupts that when
it has said what the key costs: costly_kdbx.py FILE PROGRAM WORD…. Prints what it said, its exit code, and whether it ended at once.
"""
import hashlib
import struct
import subprocess
import sys


def field(number, value):
    return struct.pack("<BI", number, len(value)) + value


def entry(kind, name, value):
    return struct.pack("<BI", kind, len(name)) + name + struct.pack("<I", len(value)) + value


derivation = (b"\0\1" + entry(0x42, b"$UUID", bytes.fromhex("7c02bb8279a74ac0927d114a00648238")) + entry(0x42, b"S", bytes(32))
              + entry(0x05, b"R", struct.pack("<Q", 1 << 30)) + b"\0")
header = (bytes.fromhex("03d9a29a67fb4bb5") + struct.pack("<HH", 0, 4)
          + field(2, bytes.fromhex("31c1f2e6bf714350be5805216afc5aff")) + field(3, bytes(4)) + field(4, bytes(32))
          + field(7, bytes(16)) + field(11, derivation) + field(0, b"\r\n\r\n"))
with open(sys.argv[1], "wb") as file:
    file.write(header + hashlib.sha256(header).digest() + bytes(32))
process = subprocess.Popen(sys.argv[2:], stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    print(line, end="")
    if " takes about " in line:
        break
process.send_signal(2)
try:
    # The key itself takes half a minute at least.
    print(process.wait(10), "at once")
except subprocess.TimeoutExpired:
    process.kill()
    print("it went on")
