"""Ceremonies of personas with peers, and the table that comes of them."""

import concurrent.futures
import datetime
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import time

import article
from programs import HYBRID, LIMIT, Failed, Place, Program

SITE = "example.net"
CODE = r"(FIDO:/\d+)"
OURS, PYTHON, DECLINED = "hybrid client", "Python client", "hybrid client, declined"
OUR_AUTHENTICATOR, PYTHON_AUTHENTICATOR = "hybrid authenticator", "Python authenticator"
BOTH = "hybrid client and authenticator"
PEERS = [OURS, DECLINED, PYTHON, OUR_AUTHENTICATOR, PYTHON_AUTHENTICATOR, BOTH]
# What a cell begins with that is no outcome, and is not kept.
FAILED = "FAILED"
# The outcome of a peer of somebody else's that waits on.
NO_END = "does not end"
# In a peer's command: the text of the QR code, its simulated radio, and the URL of its tunnel service.
CODE_PLACE, RADIO_PLACE, TUNNEL_PLACE = "{url}", "{radio}", "{tunnel}"


class Emulated(Program):
    """A command of the conformance program in a place."""

    def __init__(self, place, command, persona, *options):
        radio = [] if command == "relay" else ["--radio", f"udp:{place.radio}", "--tunnel", place.service]
        super().__init__(place.folder, HYBRID, "conformance", command, "--like", persona, *radio, *options)

    def answer(self, code):
        self.process.stdin.write(code + "\n")
        self.process.stdin.flush()


def ended(program, cause="^hybrid: error[^:]*: (.*)$"):
    """The end of a program: nothing if it is a good one, or else its exit status, and the cause that it names."""
    try:
        status = program.process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{program.command}: does not end:\n{program.text}") from None
    return f"exit {status}: {program.find(cause)}" if status else ""


def our_client(place, persona, count, *options):
    """Registrations and sign-ins of our client with a phone, up to the first that fails; what each came to."""
    with Emulated(place, "phone", persona, *options) as phone:
        for number in range(count):
            named = ("--rp-id", SITE, "--state", "state.json", "--qr", "url")
            words = ("sign-in",) if number % 2 else ("register", "--user", f"user{number}")
            with place.client(*words, *named) as client:
                phone.answer(client.find(CODE))
                yield (end := ended(client))
                if end:
                    return


def python_client(place, persona, count):
    with Emulated(place, "phone", persona) as phone:
        for number in range(count):
            if number % 2 == 0:
                (place.folder / "passkey.json").unlink(missing_ok=True)
            with place.python("client", "--passkey", "passkey.json") as client:
                phone.answer(client.find(CODE))
                yield (end := ended(client, "^([A-Z][A-Za-z]+Error.*)$"))
                if end:
                    return
                client.find("verified")


def our_authenticator(place, persona, count):
    for _ in range(count):
        with Emulated(place, "platform", persona) as client:
            with place.authenticator("answer", client.find(CODE), "--ephemeral", "--link", "no") as authenticator:
                client.succeed("answered with CTAP2_OK")
                authenticator.succeed("made a passkey for")
        yield ""


def python_authenticator(place, persona, count):
    for _ in range(count):
        with Emulated(place, "platform", persona) as client:
            with place.python("authenticator", client.find(CODE), "--credentials", "credentials.json"):
                client.succeed("answered with CTAP2_OK")
        yield ""


def peer(command):
    """The ceremonies of a command of somebody else's, and the role that it meets: an authenticator takes the text of the QR code, and a
    client prints it. Each succeeds with the status 0."""
    words = shlex.split(command)

    def start(place, code=""):
        values = {CODE_PLACE: code, RADIO_PLACE: f"udp:{place.radio}", TUNNEL_PLACE: place.service}
        filled = words
        for name, value in values.items():
            filled = [word.replace(name, value) for word in filled]
        return Program(place.folder, *filled)

    def ended_or_not(program, cause):
        try:
            return ended(program, cause)
        except Failed:
            status = program.process.poll()
            return NO_END if status is None else f"exit {status}"

    def client(place, persona, count):
        with Emulated(place, "phone", persona) as phone:
            for _ in range(count):
                with start(place) as program:
                    phone.answer(program.find(CODE))
                    yield (end := ended_or_not(program, "(?i)^(.*error.*)$"))
                    if end:
                        return

    def authenticator(place, persona, count):
        for _ in range(count):
            with Emulated(place, "platform", persona) as platform:
                with start(place, platform.find(CODE)):
                    yield (end := ended_or_not(platform, "^hybrid: error[^:]*: (.*)$"))
                    if end:
                        return
    return ("client", authenticator) if CODE_PLACE in command else ("authenticator", client)


def service(place, persona, count):
    with Emulated(place, "relay", persona) as relay:
        there = Place(place.folder, relay.find(r"listening on (ws://\S+)"))
        for number in range(count):
            words = ("sign-in",) if number % 2 else ("register", "--user", f"user{number}")
            with there.client(*words, "--rp-id", SITE, "--state", "state.json", "--qr", "url") as client:
                with there.authenticator("answer", client.find(CODE), "--store", "passkeys", "--link", "no") as authenticator:
                    if (end := ended(authenticator)):
                        yield end
                        return
                    yield ended(client)


# What each role plays: the peer, and the ceremonies.
PLAYS = {
    "authenticator": {
        OURS: our_client, PYTHON: python_client,
        DECLINED: lambda place, persona, count: our_client(place, persona, 1, "--decline")},
    "client": {OUR_AUTHENTICATOR: our_authenticator, PYTHON_AUTHENTICATOR: python_authenticator},
    "tunnel-service": {BOTH: service},
}


def outcome(ends, count):
    """The text of a cell: how many went well, or the end that all had."""
    if ends and all(ends):
        return "; ".join(dict.fromkeys(ends))
    return f"{ends.count('')} of {count}"


def cell(folder, url, persona, ceremonies, count):
    """The text of a cell, and what was printed if it is no outcome."""
    place = Place(folder, url)
    ends = []
    try:
        for end in ceremonies(place, persona["name"], count):
            ends.append(end)
    except Failed as failure:
        return f"{FAILED} {str(failure).strip().splitlines()[-1]}", str(failure)
    return outcome(ends, count), ""


def wanted(count, kept):
    """What a cell has to be: all, or the end that is known."""
    return f"{count} of {count}" if kept == f"{kept.split(' ')[0]} of {kept.split(' ')[0]}" else kept


def row(persona):
    """The name of a persona's row."""
    return f"{persona['name']} ({article.COMMANDS[persona['role']]})"


def faults(peer, seen, count):
    """The cells of a peer that are other than the kept ones; `seen` has them by row."""
    known = {each["persona"]: each["cells"].get(peer) for each in article.matrix()["rows"]}
    for name, text in seen.items():
        if (kept := known.get(name)) is None:
            yield f"{name}, {peer}: {text!r}, of which tools/phones/matrix.json has nothing"
        elif text != (due := wanted(count, kept)):
            yield f"{name}, {peer}: {text!r}, and not {due!r} as tools/phones/matrix.json has it"


def keep(peer, seen, count, what=None):
    """Keeps the cells of a peer, with today's date; of one that is not of this project with what it is."""
    table = article.matrix()
    rows = {each["persona"]: each["cells"] for each in table["rows"]}
    for name, text in seen.items():
        if not text.startswith(FAILED):
            rows.setdefault(name, {})[peer] = text
    table["rows"] = [{"persona": row(each), "cells": rows.get(row(each), {})} for each in article.data()["personas"]]
    if what:
        table["others"] = [each for each in table["others"] if each["peer"] != peer]
        table["others"].append({"peer": peer, "what": what, "date": str(datetime.date.today()), "ceremonies": count})
    else:
        table |= {"date": str(datetime.date.today()), "ceremonies": count, "peers": PEERS}
    article.MATRIX.write_text(json.dumps(table, indent=1) + "\n")


def play(count, keeps, others=()):
    """Plays every cell, or those of other peers alone, (name, command, what it is) each; the faults."""
    begun = time.monotonic()
    plays = PLAYS if not others else {}
    for name, command, _ in others:
        role, ceremonies = peer(command)
        plays.setdefault(role, {})[name] = ceremonies
    cells = [(persona, name) for persona in article.data()["personas"] for name in plays.get(persona["role"], ())]
    seen, found = {}, []
    with tempfile.TemporaryDirectory() as path:
        base = pathlib.Path(path)
        with Program(base, HYBRID, "tunnel-service", "--listen", "127.0.0.1:0", "--plain") as tunnels:
            url = f"ws://127.0.0.1:{tunnels.find('listening on ws://127[.]0[.]0[.]1:([0-9]+)')}"

            def one(number):
                (folder := base / str(number)).mkdir()
                persona, name = cells[number]
                return cell(folder, url, persona, plays[persona["role"]][name], count)

            with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
                for (persona, name), (text, log) in zip(cells, pool.map(one, range(len(cells)))):
                    seen.setdefault(name, {})[row(persona)] = text
                    print(f"{FAILED if log else 'ok'} {persona['role']} {persona['name']}, {name}: {text}", flush=True)
                    if log:
                        print(log)
                        found.append(f"{persona['name']}, {name}: {text}")
    facts = {name: what for name, _, what in others}
    for name, texts in seen.items():
        if keeps:
            keep(name, texts, count, facts.get(name))
        else:
            found += faults(name, texts, count)
    print(f"{len(cells)} cells in {time.monotonic() - begun:.0f} s, {len(found)} other than they are known")
    return found
