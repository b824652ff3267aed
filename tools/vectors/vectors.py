"""The committed files, as this project's Python reads them."""

import json
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent.parent.parent / "Vectors"


def index():
    return json.loads((DIRECTORY / "index.json").read_text())


def layers():
    """The files of the layers, in the order of the index."""
    return [json.loads((DIRECTORY / row["file"]).read_text()) for row in index()["files"]]


def cases():
    return [case for layer in layers() for case in layer["cases"]]
