"""The folder that a run leaves behind."""
import os
import pathlib
import shutil
import subprocess
import time

import prepare
from terminal import LabError

OWN = prepare.CACHE / "results"
# Of the lab's own folders, the last ones are kept.
KEPT = 20
DECODE_SECONDS = 60


def make(wanted):
    """The results folder: a new one of the lab's own, or the wanted one, which is never emptied."""
    folder = pathlib.Path(wanted).resolve() if wanted else OWN / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not wanted:
            _point_to(folder)
    except OSError as error:
        raise LabError(f"the results folder cannot be made: {error}") from error
    return folder


def _point_to(folder):
    latest = OWN / "latest"
    new = OWN / f".latest-{os.getpid()}"
    new.symlink_to(folder.name)
    new.replace(latest)
    runs = sorted(path for path in OWN.iterdir() if path.is_dir() and not path.is_symlink())
    for old in runs[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


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
