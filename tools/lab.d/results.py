"""The folder that a run leaves behind."""
import pathlib
import shutil
import subprocess

import prepare
from terminal import LabError

OWN = prepare.CACHE / "results"
DECODE_SECONDS = 60


def make(wanted):
    """The results folder, empty: a folder the lab did not make is never emptied, only added to."""
    if wanted is None:
        shutil.rmtree(OWN, ignore_errors=True)
        OWN.mkdir(parents=True)
        return OWN
    folder = pathlib.Path(wanted).resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"the results folder cannot be made: {error}") from error
    return folder


def decode_trace(folder):
    """Writes btmon's trace as text beside it."""
    trace = folder / "btmon.btsnoop"
    if not trace.is_file():
        return
    with open(folder / "btmon.txt", "wb") as text:
        try:
            subprocess.run(["btmon", "-r", str(trace)], stdout=text, stderr=subprocess.DEVNULL, check=False,
                           stdin=subprocess.DEVNULL, timeout=DECODE_SECONDS)
        except subprocess.TimeoutExpired:
            text.write(b"\n(the rest was too long to decode)\n")
