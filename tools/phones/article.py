"""The article Personas of Conformance, from the data."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "Sources/Conformance/CPersonas/personas.json"
MATRIX = ROOT / "tools/phones/matrix.json"
FRAME = ROOT / "tools/phones/Personas.md"
ARTICLE = ROOT / "Sources/Conformance/Conformance/Conformance.docc/Personas.md"
BEHAVIOUR = ROOT / "Sources/Core/HybridProtocol/HybridProtocol.docc/ImplementationBehaviour.md"
RULES = ROOT / "Vectors/rules.json"
ROLES = {"authenticator": "Phones", "client": "Clients", "tunnel-service": "Tunnel services"}
COMMANDS = {"authenticator": "phone", "client": "platform", "tunnel-service": "relay"}
RULE = re.compile(r"HT-[A-Z]+-\d+")


def data():
    return json.loads(DATA.read_text())


def faults(found):
    """What the data lacks: the tests of Swift say the rest."""
    rules = {rule["id"] for rule in json.loads(RULES.read_text())["rules"]}
    rows = {line.split("|")[1].strip() for line in BEHAVIOUR.read_text().split("\n") if line.startswith("| ")}
    for quirk in found["quirks"]:
        known = rules if RULE.fullmatch(quirk["see"]) else rows
        if quirk["see"] not in known:
            yield f"{quirk['id']}: there is neither a rule nor a row of ImplementationBehaviour {quirk['see']!r}"
        if not quirk["source"].startswith("https://"):
            yield f"{quirk['id']}: its source is no public URL"
    for persona in found["personas"]:
        known = {quirk["id"] for quirk in found["quirks"] if quirk["role"] == persona["role"]}
        for name in persona["quirks"]:
            if name not in known:
                yield f"{persona['name']}: there is no quirk {name}"


def text(found):
    lines = []
    for role, title in ROLES.items():
        lines += [f"## {title}", "", f"`hybrid-conformance {COMMANDS[role]} --like PERSONA`.", "", "| persona | it is like | its quirks |", "|---|---|---|"]
        lines += [f"| `{each['name']}` | {each['like']} | {', '.join(f'`{name}`' for name in each['quirks'])} |"
                  for each in found["personas"] if each["role"] == role]
        lines += ["", "| quirk | what it does | certainty | source | see |", "|---|---|---|---|---|"]
        for quirk in (each for each in found["quirks"] if each["role"] == role):
            name = quirk["source"].split("/")
            label = f"{name[3]}/{name[4]}, {name[-1]}" if "github.com" in name else f"{name[2]}, {name[-1]}"
            lines.append(f"| `{quirk['id']}` | {quirk['does']} | {quirk['certainty']} | [{label}]({quirk['source']}) | {quirk['see']} |")
        lines.append("")
    kept = json.loads(MATRIX.read_text())
    lines += ["## What came of them", "",
              f"Played on {kept['date']}, {kept['ceremonies']} ceremonies a cell: half registrations, half sign-ins, but those of clients,",
              "which only register. A cell that is no count is the end that such a ceremony has to have.", "",
              "| persona | " + " | ".join(kept["peers"]) + " |", "|---|" + "---|" * len(kept["peers"])]
    lines += [f"| {row['persona']} | " + " | ".join(row["cells"].get(peer, "–") for peer in kept["peers"]) + " |" for row in kept["rows"]]
    return FRAME.read_text().rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"


def write():
    ARTICLE.write_text(text(data()))
    return 0


def correct(path):
    """Prints each persona that a report of a phone corrects, as a line of personas.json."""
    personas = {each["name"]: each for each in data()["personas"] if each["role"] == "authenticator"}
    for ceremony in json.loads(path.read_text())["ceremonies"]:
        if device := ceremony.get("device"):
            persona = dict(personas[device["persona"]])
            lost = {each["quirk"] for each in device["differences"] if not each["seen"]}
            new = [each["quirk"] for each in device["differences"] if each["seen"]]
            persona["quirks"] = [name for name in persona["quirks"] if name not in lost] + new
            print(json.dumps(persona))
    return 0


def check():
    found = data()
    result = list(faults(found))
    if not result and (not ARTICLE.exists() or ARTICLE.read_text() != text(found)):
        result.append(f"{ARTICLE.relative_to(ROOT)} is not what tools/phones/run --write makes")
    if not result:
        print(f"{len(found['quirks'])} quirks with a source, {len(found['personas'])} personas, 0 faults")
    return result
