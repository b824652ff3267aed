"""The article Personas of Conformance, from the data."""

import json
import pathlib
import re

import picture

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "Sources/Transport/CPersonas/personas.json"
MATRIX = ROOT / "tools/phones/matrix.json"
FRAME = ROOT / "tools/phones/Personas.md"
# A report by hand, of an emulated phone that differs from its persona.
EXAMPLE = ROOT / "tools/phones/example.json"
ARTICLE = ROOT / "Sources/Conformance/Conformance/Conformance.docc/Personas.md"
BEHAVIOUR = ROOT / "Sources/Core/HybridProtocol/HybridProtocol.docc/ImplementationBehaviour.md"
RULES = ROOT / "Vectors/rules.json"
ROLES = {"authenticator": "Phones", "client": "Clients", "tunnel-service": "Tunnel services"}
COMMANDS = {"authenticator": "phone", "client": "platform", "tunnel-service": "relay"}
RULE = re.compile(r"HT-[A-Z]+-\d+")


def data():
    return json.loads(DATA.read_text())


def matrix():
    return json.loads(MATRIX.read_text())


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
        lines += ["", "| quirk | behaviour | certainty | source | see |", "|---|---|---|---|---|"]
        for quirk in (each for each in found["quirks"] if each["role"] == role):
            name = quirk["source"].split("/")
            label = f"{name[3]}/{name[4]}, {name[-1]}" if "github.com" in name else f"{name[2]}, {name[-1]}"
            lines.append(f"| `{quirk['id']}` | {quirk['does']} | {quirk['certainty']} | [{label}]({quirk['source']}) | {quirk['see']} |")
        lines.append("")
    kept = matrix()
    peers = kept["peers"] + [each["peer"] for each in kept["others"]]
    lines += ["## Results", "",
              f"Played on {kept['date']}, {kept['ceremonies']} ceremonies a cell: half registrations, half sign-ins; emulated clients",
              "only register. A cell that is no count is the end that such a ceremony has to have.", "",
              "| the last columns are of | | played on | ceremonies a cell |", "|---|---|---|---|",
              *(f"| {each['peer']} | {each['what']} | {each['date']} | {each['ceremonies']} |" for each in kept["others"]), "",
              "| persona | " + " | ".join(peers) + " |", "|---|" + "---|" * len(peers)]
    lines += [f"| {row['persona']} | " + " | ".join(row["cells"].get(peer, "–") for peer in peers) + " |" for row in kept["rows"]]
    frame = FRAME.read_text().rstrip("\n").replace("{example}", example(found))
    return frame + "\n\n" + "\n".join(lines) + "\n"


def devices(path):
    """What a report has of phones."""
    return [each["device"] for each in json.loads(path.read_text())["ceremonies"] if each.get("device")]


def persona(found, device):
    return next(each for each in found["personas"] if (each["role"], each["name"]) == ("authenticator", device["persona"]))


def corrected(found, device):
    """The persona of a phone as its report corrects it."""
    old = persona(found, device)
    lost = {each["quirk"] for each in device["differences"] if not each["seen"]}
    new = [each["quirk"] for each in device["differences"] if each["seen"]]
    return old | {"quirks": [name for name in old["quirks"] if name not in lost] + new}


def example(found):
    """What the example's report shows, says and corrects."""
    device = devices(EXAMPLE)[0]
    does = {each["id"]: each["does"] for each in found["quirks"] if each["role"] == "authenticator"}
    near, interval = persona(found, device), device["advert"]["interval_ms"]
    said = [f"the nearest persona is {near['name']}, {near['like']}, as far as such phones are known",
            *(f"{'it has' if each['seen'] else 'it lacks'} {each['quirk']}: {does[each['quirk']]}" for each in device["differences"]),
            f"an advert each {interval:.0f} ms"]
    return "\n".join([
        "An example, `tools/phones/example.json`: made by hand, with an emulated phone that differs from its persona in two",
        "quirks, 150 ms away from its tunnel service. The terminal's output, and the times of its report:", "",
        "```", *(f"hybrid: {line}" for line in said), "```", "",
        f"![The adverts of the example, its join, its handshake, its first message and its answer.]({picture.NAME})", "",
        "The persona's line as it is, and as `tools/phones/run --correct tools/phones/example.json` prints it:", "",
        "```json", json.dumps(near), json.dumps(corrected(found, device)), "```"])


def made(found):
    """The article and its picture, by their paths."""
    pictures = {ARTICLE.parent / "Resources" / name: drawn for name, drawn in picture.made(devices(EXAMPLE)[0]).items()}
    return {ARTICLE: text(found)} | pictures


def write():
    for path, content in made(data()).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    return 0


def correct(path):
    """Prints each persona that a report of a phone corrects, as a line of personas.json."""
    found = data()
    for device in devices(path):
        print(json.dumps(corrected(found, device)))
    return 0


def check():
    found = data()
    result = list(faults(found))
    if not result:
        result += [f"{path.relative_to(ROOT)} is not what tools/phones/run --write makes" for path, content in made(found).items()
                   if not path.exists() or path.read_text() != content]
    if not result:
        print(f"{len(found['quirks'])} quirks with a source, {len(found['personas'])} personas, 0 faults")
    return result
