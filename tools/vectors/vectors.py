"""The committed files, as this project's Python reads them."""

import json
from pathlib import Path

from operations import LAYERS

DIRECTORY = Path(__file__).resolve().parent.parent.parent / "Vectors"


def document(name, folder=""):
    return json.loads((DIRECTORY / folder / name).read_text())


def index(folder=""):
    return document("index.json", folder)


def layers(folder=""):
    """The files of a folder's layers, in the order of its index."""
    return [document(row["file"], folder) for row in index(folder)["files"]]


def cases(folder=""):
    return [case for layer in layers(folder) for case in layer["cases"]]


def all_cases():
    """The cases of all folders."""
    return [case for folder in LAYERS for case in cases(folder)]


def rules(folder=""):
    """The rules that a folder's cases may cite, in the order of the reference's articles."""
    return document("rules.json", folder)["rules"]
