"""The committed files, as this project's Python reads them."""

import json
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent.parent.parent / "Vectors"


def document(name):
    return json.loads((DIRECTORY / name).read_text())


def index():
    return document("index.json")


def layers():
    """The files of the layers, in the order of the index."""
    return [document(row["file"]) for row in index()["files"]]


def cases():
    return [case for layer in layers() for case in layer["cases"]]


def rules():
    """The rules that cases may cite, in the order of the reference's articles."""
    return document("rules.json")["rules"]
