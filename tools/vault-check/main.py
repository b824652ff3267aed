"""See tools/vault-check/run."""

import argparse
import os
import tempfile

import kills
import memory

parser = argparse.ArgumentParser(prog="tools/vault-check/run")
parser.add_argument("programs")
parser.add_argument("--kills", type=int, default=1_000)
parser.add_argument("--rounds", type=int, default=20)
arguments = parser.parse_args()
writer, hybrid = (os.path.join(os.path.abspath(arguments.programs), name) for name in ("vault-writer", "hybrid"))
with tempfile.TemporaryDirectory(prefix="hybrid-vault-check-") as folder:
    kills.kills(writer, folder, arguments.kills)
    kills.two_at_once(writer, folder, arguments.rounds)
    kills.full_disk(writer, folder)
    memory.look(hybrid, folder)
