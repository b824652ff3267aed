"""What the tool writes into the tree: the page of all queries, the pictures, and the files for ProVerif."""
import html
import pathlib
import textwrap

import orders
import proverif
import queries
from properties import ENDS, PROPERTIES
from world import ATTACKERS

DOCC = pathlib.Path(__file__).resolve().parents[2] / "Sources/Core/HybridProtocol/HybridProtocol.docc"
HEAD = """# Queries to the model

All questions that the prover is asked, with their verdicts and the reasons.

## Overview

This page is made by `tools/model/run --write` of `tools/model/queries.py`; each run of the tool fails when the prover
says otherwise. <doc:Model> describes the model. The attacker always has the network and is the tunnel service;
beyond that:

| power | the attacker |
|---|---|
{attackers}

## Properties

| property | sentence |
|---|---|
{properties}

## Claims

| system | property | the attacker also | verdict | reason |
|---|---|---|---|---|
{claims}

{ends}

## Mechanisms left out

The same queries, with something left out. Each claim that is proven is attacked in at least one of these.

| left out | rules | system, property | the attacker also | verdict | reason |
|---|---|---|---|---|---|
{variants}

{repeated}

## Rules that are not left out

| rules | reason |
|---|---|
{others}

## Orders

| model | holds | caught mutants |
|---|---|---|
{orders}
"""


def _power(attacker):
    return ", ".join(attacker) or "–"


def _wrapped(text):
    return "\n".join(textwrap.wrap(text, 120, break_on_hyphens=False))


def page():
    """The article ModelQueries."""
    repeated = [variant for variant in queries.VARIANTS if variant[5] in {reason for _, reason in queries.SAME.values()}
                and variant[1] == "link"]
    shown = [variant for variant in queries.VARIANTS if variant not in repeated]
    return HEAD.format(
        attackers="\n".join(f"| {name} | {what} |" for name, what in ATTACKERS.items()),
        properties="\n".join(f"| {name} | {sentence} |" for name, (sentence, _) in PROPERTIES.items()),
        claims="\n".join(f"| {system} | {name} | {_power(attacker)} | {verdict} | {reason} |"
                         for system, name, attacker, verdict, reason in queries.CLAIMS),
        ends=_wrapped(f"Each honest end is reached: {', '.join(ENDS)}."),
        variants="\n".join(
            f"| {'; '.join(queries.MECHANISMS[name][1] for name in names.split())} | "
            f"{', '.join(dict.fromkeys(rule for name in names.split() for rule in queries.MECHANISMS[name][0].split()))} | "
            f"{system}, {name} | {_power(attacker)} | {verdict} | {reason} |"
            for names, system, name, attacker, verdict, reason in shown),
        repeated=_wrapped(f"{len(repeated)} more, of the thefts from linked pairs: without "
                          + "; without ".join(dict.fromkeys(" and ".join(each[0].split()) for each in repeated))
                          + ". In each the attack is found."),
        others="\n".join(f"| {', '.join(rules.split())} | {reason} |" for rules, reason in queries.NOT_LEFT_OUT.values()),
        orders="\n".join(f"| {model} | {what} | {'; '.join(mutants.values())} |" for model, (what, mutants) in orders.MODELS.items()))


# Light and dark: background, text, faint, line, good, bad.
COLOURS = {"": ("#ffffff", "#1d1d1f", "#5a5a60", "#8a8a90", "#1a6b34", "#a0420a"),
           "~dark": ("#1d1d1f", "#f2f2f4", "#b8b8be", "#8a8a90", "#7fd498", "#ffb07a")}
FONT = "-apple-system, system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
COLUMNS = {"far": ("code", "own code"), "near": ("hears", "sends"), "code and near": ("hears", "sends", "code"),
           "own code and near": ("hears", "own code")}
ROWS = ("request secret", "answer secret", "client agrees", "authenticator agrees", "near", "no answer for the attacker")


class Picture:
    """An SVG of lines, words and boxes, in one set of colours."""

    def __init__(self, width, height, title, description, colours):
        self.back, self.text, self.faint, self.line, self.good, self.bad = colours
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      f'role="img" font-family="{FONT}">', f"<title>{html.escape(title)}</title>", f"<desc>{html.escape(description)}</desc>",
                      f'<rect width="{width}" height="{height}" rx="8" fill="{self.back}"/>']

    def word(self, x, y, text, colour=None, size=14, anchor="middle", weight=400):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour or self.text}" font-size="{size}" '
                          f'font-weight="{weight}">{html.escape(text)}</text>')

    def arrow(self, x1, x2, y, text, colour=None):
        colour, side = colour or self.line, 9 if x2 > x1 else -9
        self.word((x1 + x2) / 2, y - 6, text, size=13)
        self.parts.append(f'<line x1="{x1}" y1="{y}" x2="{x2 - side}" y2="{y}" stroke="{colour}" stroke-width="2"/>')
        self.parts.append(f'<polygon points="{x2},{y} {x2 - side},{y - 5} {x2 - side},{y + 5}" fill="{colour}"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


def _table(ask, colours):
    """Properties of a session from a code, by attackers."""
    p = Picture(880, 90 + 44 * len(ROWS), "Properties by attackers", "The properties of a session from a code that are proven, and the attacks.", colours)
    for column, name in enumerate(COLUMNS):
        p.word(350 + 144 * column, 34, name, weight=600)
        p.word(350 + 144 * column, 54, ", ".join(COLUMNS[name]), p.faint, 11.5)
    for row, name in enumerate(ROWS):
        y = 92 + 44 * row
        p.parts.append(f'<line x1="24" y1="{y - 26}" x2="856" y2="{y - 26}" stroke="{p.line}" stroke-opacity="0.5"/>')
        p.word(28, y, name, anchor="start")
        for column, power in enumerate(COLUMNS.values()):
            verdict = ask(name, power)
            p.word(350 + 144 * column, y, verdict, p.good if verdict == queries.PROVEN else p.bad, weight=600)
    return p.svg()


def _binding(_, colours):
    """The terminal, the attacker and the wallet: two sessions, and one."""
    p = Picture(880, 560, "Two sessions, and one", "An attacker between a verifier's terminal and a wallet.", colours)
    lanes = {"terminal": 130, "attacker": 440, "wallet": 750}
    for top, title, steps in (
            (20, "a code of his own: two sessions, and the hashes differ", (
                ("terminal", "attacker", "the terminal's code"), ("attacker", "wallet", "a code of his own"),
                ("wallet", "attacker", "signed: nonce, origin, hash 2"), ("attacker", "terminal", "the same, in session 1: refused, hash 1 ≠ hash 2"))),
            (290, "the terminal's code, passed on: one session, and one hash", (
                ("terminal", "attacker", "the terminal's code"), ("attacker", "wallet", "the terminal's code"),
                ("wallet", "attacker", "advert; handshake; signed: nonce, origin, hash"), ("attacker", "terminal", "advert; handshake; the same: accepted")))):
        p.word(440, top + 18, title, weight=600)
        for name, x in lanes.items():
            p.word(x, top + 46, name, p.faint)
            p.parts.append(f'<line x1="{x}" y1="{top + 56}" x2="{x}" y2="{top + 236}" stroke="{p.line}"/>')
        for index, (one, other, text) in enumerate(steps):
            last = index == len(steps) - 1
            p.arrow(lanes[one], lanes[other], top + 92 + 42 * index, text, (p.good if top < 100 else p.bad) if last else None)
    return p.svg()


def files(ask):
    """All that is written, by path; `ask` gives the verdict of a property against an attacker."""
    result = {DOCC / "ModelQueries.md": page()} | proverif.files()
    for name, draw in (("model", _table), ("hash-binding", _binding)):
        result |= {DOCC / f"Resources/{name}{mode}.svg": draw(ask, colours) for mode, colours in COLOURS.items()}
    return result
