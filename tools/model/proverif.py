"""The same roles in ProVerif's language: for injective agreement, and for whether adverts can be linked, which E does not answer.

ProVerif is neither in Debian nor on PyPI. The files in proverif/ are what this makes; their heads say whether they were run.
"""
import pathlib

import protocol
import world
from terms import public, show

FOLDER = pathlib.Path(__file__).resolve().parent / "proverif"
HEAD = """(* {what}
   Made by tools/model/run --write from the roles of protocol.py. To run it: proverif {name}.pv (ProVerif 2.05).
   Expected: {expected}
   Verdict: not run. *)
set ignoreTypes = true.
free net: channel.
free near_authenticator, near_client: channel{private}.
{constants}
fun public(bitstring): bitstring.
fun agree(bitstring, bitstring): bitstring.
equation forall x: bitstring, y: bitstring; agree(x, public(y)) = agree(y, public(x)).
{functions}
fun seal(bitstring, bitstring): bitstring.
reduc forall k: bitstring, m: bitstring; unseal(k, seal(k, m)) = m.
fun frame(bitstring, bitstring, bitstring): bitstring.
reduc forall k: bitstring, c: bitstring, m: bitstring; unframe(k, c, frame(k, c, m)) = m.
"""
CONSTANTS = "none, eid_key, tunnel_id, psk, paired_secret, identity_key, contact_key, knpsk0, nkpsk0, one, zero, n0, n1, n2"
FUNCTIONS = {"derive": 3, "tag": 2, "hash": 2, "chain": 2, "key": 2, "chain3": 2, "temporary": 2, "key3": 2, "split1": 1, "split2": 1,
             "code": 2}
CHANNELS = {"net": "net", "air_authenticator": "near_authenticator", "air_client": "near_client"}


def head(name, what, expected, air_is_public):
    """What stands before the processes of each file."""
    functions = "\n".join(f"fun {each}({', '.join(['bitstring'] * count)}): bitstring." for each, count in FUNCTIONS.items())
    return HEAD.format(name=name, what=what, expected=expected, private="" if air_is_public else " [private]",
                       constants=f"free {CONSTANTS}: bitstring.", functions=functions)


def process(role, names, events):
    """A role as a process: `names` are the terms that stand for variables of the process, by term."""
    lines, count, points = [], 0, {}

    def written(term):
        for known, name in (*points.items(), *names.items()):
            term = _exchange(term, known, name)
        return show(term)

    for kind, channel, what in role.steps:
        if kind == "send":
            if channel in CHANNELS:
                lines.append(f"out({CHANNELS[channel]}, {written(what)});")
        elif kind == "event":
            if channel in events:
                lines.append(f"event {channel}({', '.join(written(each) for each in events[channel](what))});")
        else:
            count += 1
            got = f"got{count}"
            lines.append(f"in({CHANNELS[channel]}, {got}: bitstring);")
            if isinstance(what, str):
                lines.append(f"let {what} = {got} in")
            elif what[0] == "public" and isinstance(what[1], str):
                points[what] = got
            elif what[0] in ("seal", "frame") and isinstance(what[-1], str):
                lines.append(f"let {what[-1]} = un{what[0]}({', '.join(written(each) for each in (*what[1:-1], got))}) in")
            else:
                lines.append(f"if {got} = {written(what)} then")
    return "\n  ".join([*lines, "0"])


def _exchange(term, known, name):
    if term == known:
        return name
    return term if isinstance(term, str) else (term[0], *(_exchange(each, known, name) for each in term[1:]))


QUERIES = """
free asked: bitstring [private].
free answered: bitstring [private].
event client_done(bitstring, bitstring, bitstring).
event client_asks(bitstring, bitstring).
event authenticator_done(bitstring, bitstring, bitstring).
query attacker(asked).
query attacker(answered).
query h: bitstring, r: bitstring, x: bitstring; inj-event(client_done(h, r, x)) ==> inj-event(authenticator_done(h, r, x)).
query h: bitstring, r: bitstring, x: bitstring; inj-event(authenticator_done(h, r, x)) ==> inj-event(client_asks(h, r)).
"""


def files():
    """All files, by path."""
    w, v = world.World("code"), world.World("link")
    q, c = protocol.qr_secret("S"), protocol.static_key("S")
    client, authenticator = protocol.client(w), protocol.authenticator(w, q, public(c))
    result = {}
    qr = {protocol.client_e("S"): "e", q: "q", c: "c"}
    qr_a = {protocol.authenticator_e("A", q): "f", protocol.advert_nonce("A", q): "n", q: "q", public(c): "p"}
    shapes = _shapes(client, authenticator, qr, qr_a)
    for name, what, seen, near, expected in (
            ("code-far", "A session from a code; the attacker has seen the code and is far.", True, False, "all true"),
            ("code-near", "A session from a code; the attacker is near and has not seen the code.", False, True, "all true"),
            ("code-near-seen", "A session from a code; the attacker has seen the code and is near.", True, True,
             "asked false, answered true, client_done false, authenticator_done true")):
        show_code = "out(net, (q, public(c))); " if seen else ""
        main = (f"process\n  !(new q: bitstring; new c: bitstring; {show_code}((new e: bitstring; client(q, c, e)) | "
                f"!(new f: bitstring; new n: bitstring; authenticator(q, public(c), f, n))))")
        air = "" if near else " | !(in(near_authenticator, m: bitstring); out(near_client, m))"
        result[FOLDER / f"{name}.pv"] = (head(name, what, expected, near) + QUERIES + f"let client(q: bitstring, c: bitstring, e: bitstring) =\n  "
                                         f"{shapes[0]}.\nlet authenticator(q: bitstring, p: bitstring, f: bitstring, n: bitstring) =\n  "
                                         f"{shapes[1]}.\n{main}{air}\n")
    secret, identity, link = protocol.link_secret(v, "B", "L"), protocol.identity_key("B"), protocol.link_id("L")
    linked = _shapes(protocol.linked_client(v), protocol.linked_authenticator(v),
                     {protocol.linked_e("S"): "e", protocol.link_nonce("S"): "v", secret: "s", public(identity): "i", link: "l"},
                     {protocol.authenticator_e("A", link): "f", protocol.advert_nonce("A", link): "n", secret: "s", identity: "j", link: "l"})
    for name, what, stolen, near, expected in (
            ("link-near", "A linked session; the attacker is near.", "", True, "all true"),
            ("link-stolen-far", "A linked session; the attacker has the link file and is far.", "out(net, s); ", False, "all true"),
            ("link-stolen-near", "A linked session; the attacker has the link file and is near.", "out(net, s); ", True,
             "asked true, answered false, client_done true, authenticator_done false")):
        main = (f"process\n  !(new j: bitstring; new s: bitstring; new l: bitstring; out(net, public(j)); {stolen}"
                f"(!(new e: bitstring; new v: bitstring; client(s, public(j), l, e, v)) | "
                f"!(new f: bitstring; new n: bitstring; authenticator(s, j, l, f, n))))")
        air = "" if near else " | !(in(near_authenticator, m: bitstring); out(near_client, m))"
        result[FOLDER / f"{name}.pv"] = (
            head(name, what, expected, near) + QUERIES
            + f"let client(s: bitstring, i: bitstring, l: bitstring, e: bitstring, v: bitstring) =\n  {linked[0]}.\n"
            + f"let authenticator(s: bitstring, j: bitstring, l: bitstring, f: bitstring, n: bitstring) =\n  {linked[1]}.\n{main}{air}\n")
    result[FOLDER / "adverts.pv"] = head(
        "adverts", "Whether two adverts, for nonces that the attacker knows, show that they are for one link.", "true", True) + """
process
  new s: bitstring;
  !(new t: bitstring; in(net, v: bitstring); new n: bitstring; new r: bitstring;
    out(near_authenticator, seal(derive(eid_key, choice[s, t], (v, r)), n)))
"""
    return result


def _shapes(client, authenticator, names, names_a):
    """Both processes, with one private request and answer, and the events around them."""
    asks = next(term for step, _, term in client.steps if step == "send" and not isinstance(term, str) and term[0] == "frame")[3]
    answers = [term for step, _, term in authenticator.steps if step == "send" and not isinstance(term, str) and term[0] == "frame"]
    h = asks[2]
    roles = []
    for role in (client, authenticator):
        copy = protocol.Role(role.name)
        for kind, channel, what in role.steps:
            if kind == "send" and not isinstance(what, str) and what[0] == "frame":
                if what[3] == asks:
                    copy.event("client_asks", h, ("asked",))
                    what = (*what[:3], ("asked",))
                elif what[3] == answers[1][3]:
                    copy.event("authenticator_done", what[3][3], "R", ("answered",))
                    what = (*what[:3], ("answered",))
                else:
                    what = (*what[:3], ("none",))
            if kind == "event":
                continue
            copy.steps.append((kind, channel, what))
        if role is client:
            copy.event("client_done", h, ("asked",), "X")
        roles.append(copy)
    events = {name: lambda terms: terms for name in ("client_asks", "authenticator_done", "client_done")}
    return process(roles[0], names, events), process(roles[1], names_a, events)
