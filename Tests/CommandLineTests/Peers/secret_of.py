"""Writes the secret of a QR code to one file and the code to another: secret_of.py URL SECRET-FILE CODE-FILE"""

import pathlib
import sys

from hybrid_peer import read_code

_, secret = read_code(sys.argv[1])
pathlib.Path(sys.argv[2]).write_text(secret.hex() + "\n", encoding="ascii")
pathlib.Path(sys.argv[3]).write_text(sys.argv[1] + "\n", encoding="ascii")
