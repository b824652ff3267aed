"""Ceremonies of personas with peers, and the table that comes of them."""

import concurrent.futures
import datetime
import json
import os
import pathlib
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
                authenticator.succeed("answered makeCredential: CTAP2_OK")
        yield ""


def python_authenticator(place, persona, count):
    for _ in range(count):
        with Emulated(place, "platform", persona) as client:
            with place.python("authenticator", client.find(CODE), "--credentials", "credentials.json"):
                client.succeed("answered with CTAP2_OK")
        yield ""


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


def cell(folder, url, persona, peer, count):
    """The text of a cell: how many went well, or the end that all had."""
    place = Place(folder, url)
    ends = []
    try:
        for end in PLAYS[persona["role"]][peer](place, persona["name"], count):
            ends.append(end)
    except Failed as failure:
        return f"FAILED {str(failure).strip().splitlines()[-1]}", str(failure)
    if not any(ends):
        return f"{len(ends)} of {count}", ""
    return ("; ".join(dict.fromkeys(end for end in ends if end)) if all(ends) else f"{ends.count('')} of {count}"), ""


def wanted(count, kept):
    """What a cell has to be: all, or the end that is known."""
    return f"{count} of {count}" if kept == f"{kept.split(' ')[0]} of {kept.split(' ')[0]}" else kept


def play(count, keep):
    """Plays every cell; the faults."""
    begun, personas = time.monotonic(), article.data()["personas"]
    cells = [(persona, peer) for persona in personas for peer in PLAYS[persona["role"]]]
    seen, faults = {}, []
    with tempfile.TemporaryDirectory() as path:
        base = pathlib.Path(path)
        with Program(base, HYBRID, "tunnel-service", "--listen", "127.0.0.1:0", "--plain") as tunnels:
            url = f"ws://127.0.0.1:{tunnels.find('listening on ws://127[.]0[.]0[.]1:([0-9]+)')}"

            def one(number):
                (folder := base / str(number)).mkdir()
                return cell(folder, url, *cells[number], count)

            with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
                for (persona, peer), (text, log) in zip(cells, pool.map(one, range(len(cells)))):
                    seen[(persona["role"], persona["name"], peer)] = text
                    print(f"{'FAILED' if log else 'ok'} {persona['role']} {persona['name']}, {peer}: {text}", flush=True)
                    if log:
                        print(log)
                        faults.append(f"{persona['name']}, {peer}: {text}")
    rows = [{"persona": f"{each['name']} ({article.COMMANDS[each['role']]})",
             "cells": {peer: seen[(each["role"], each["name"], peer)] for peer in PLAYS[each["role"]]}} for each in personas]
    if keep:
        table = {"date": str(datetime.date.today()), "ceremonies": count, "peers": PEERS, "rows": rows}
        article.MATRIX.write_text(json.dumps(table, indent=1) + "\n")
    else:
        known = {row["persona"]: row["cells"] for row in json.loads(article.MATRIX.read_text())["rows"]}
        for row in rows:
            for peer, text in row["cells"].items():
                if text != (due := wanted(count, known.get(row["persona"], {}).get(peer, ""))):
                    faults.append(f"{row['persona']}, {peer}: {text!r}, and not {due!r} as tools/phones/matrix.json has it")
    print(f"{len(cells)} cells in {time.monotonic() - begun:.0f} s, {len(faults)} other than they are known")
    return faults
