"""tshark with the dissector: what it makes of a file, as text that stays the same."""

import os
import re
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

FOLDER = Path(__file__).resolve().parent
TIME_LIMIT = 240


class Failed(Exception):
    """tshark crashed, hung, or said what it should not."""


def run(path, *options, dissector=FOLDER / "hybrid.lua", hostile=False):
    """What tshark prints about a file, with the dissector and a configuration of its own.

    A hostile file may end within a packet, and Wireshark's own dissectors may complain of it.
    """
    with tempfile.TemporaryDirectory(prefix="hybrid-wireshark-") as configuration:
        environment = os.environ | {"WIRESHARK_CONFIG_DIR": configuration, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        command = ["tshark", "-r", str(path), "-n", "-X", f"lua_script:{dissector}", *options]
        # A key log beside a capture opens TLS; lines that are not TLS's are passed over.
        if (keys := path.with_suffix(".keys")).exists():
            command += ["-o", f"tls.keylog_file:{keys}"]
        try:
            done = subprocess.run(command, capture_output=True, env=environment, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{path}: not done after {TIME_LIMIT} s") from error
    complaints = [
        line for line in done.stderr.decode(errors="replace").splitlines() if line and "Running as user" not in line
    ]
    if hostile:
        complaints = [line for line in complaints if "lua" in line.lower() or "dissector bug" in line.lower()]
    # 2 is tshark's code for a capture that it could not read to the end.
    if done.returncode not in ((0, 2) if hostile else (0,)) or complaints:
        raise Failed(f"{path}: tshark ended with {done.returncode}: " + "; ".join(complaints[:5]))
    return done.stdout.decode(errors="replace")


LUA_ERROR = "_ws.lua.error"
SHOWN = "hybrid or hybrid.decoy or " + LUA_ERROR


HEXADECIMAL = re.compile("[0-9a-f]{2}(:[0-9a-f]{2})+")


def tree(element, depth):
    """The lines of a part of Wireshark's tree: what it shows, the field's name, and the value where it is not shown."""
    for field in element:
        name, shown, value = (
            field.get("name", ""),
            field.get("showname") or field.get("show", ""),
            field.get("show", ""),
        )
        # Findings are there as Wireshark's, and inside these as ours.
        if name == "_ws.expert":
            yield from tree([inner for inner in field if inner.get("name", "").startswith("hybrid.")], depth)
        if name.startswith("_ws.") and name not in ("_ws.lua.text", LUA_ERROR):
            continue
        named = f" <{name}>" if name.startswith("hybrid") else ""
        if named and HEXADECIMAL.fullmatch(value) and "\u2026" in shown:
            # How much is shown of long values differs among versions.
            shown = shown.partition(":")[0].replace(" [\u2026]", "") + ": " + value.replace(":", "")
        value = "" if shown.endswith(("True", "False")) else value.replace(":", "")
        named += f" = {value}" if named and value not in shown.replace(":", "") else ""
        yield "    " * depth + shown + named
        yield from tree(field, depth + 1)


def packet_lines(packet):
    """The lines of a packet's tree that are ours."""
    for protocol in packet:
        name = protocol.get("name", "")
        if name == "hybrid" or name.startswith("_ws.lua"):
            yield "    " + protocol.get("showname", name)
            yield from tree(protocol, 2)
        elif name == "fake-field-wrapper":
            ours = [field for field in protocol if field.get("name", "").startswith(("hybrid", "_ws.lua"))]
            yield from tree(ours, 1)


def lines(path, dissector=FOLDER / "hybrid.lua"):
    """What concerns hybrid in a file: for each packet its number, its columns for protocol and
    information, and its tree. Packets that follow each other and look alike are put together."""
    # Twice through the file, as Wireshark goes: what was found the first time is shown the second time.
    options = ["-2", "-Y", SHOWN, "-o", 'gui.column.format:"Number","%m","Protocol","%p","Info","%i"']
    columns = run(path, *options, dissector=dissector).splitlines()
    document = run(path, "-2", "-Y", SHOWN, "-T", "pdml", dissector=dissector)
    packets = list(ElementTree.fromstring(document))
    if len(columns) != len(packets):
        raise Failed(f"{path}: {len(columns)} packets in one view, {len(packets)} in the other")
    same, numbers = None, []
    for column, packet in zip(columns, packets):
        number, _, said = " ".join(column.split()).partition(" ")
        shown = ["    " + said, *packet_lines(packet)]
        if same and shown != same:
            yield from [", ".join(numbers), *same]
            numbers = []
        same = shown
        numbers.append(number)
    if same:
        yield from [", ".join(numbers), *same]


def fields(path, *names, shown="hybrid or hybrid.decoy", dissector=FOLDER / "hybrid.lua"):
    """The values of these fields in each packet that is shown, several of one field with commas between them."""
    options = ["-2", "-Y", shown, "-T", "fields", "-E", "separator=/t"]
    for name in names:
        options += ["-e", name]
    for line in run(path, *options, dissector=dissector).split("\n")[:-1]:
        yield tuple(line.split("\t"))
