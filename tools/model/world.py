"""Worlds: which roles there are, and what the attacker can do; as Horn clauses, a list of (hypotheses, conclusion)."""
from protocol import (EVIL_HOST, HOME, NAMES, TUPLES, authenticator, browser, challenge, client, client_key, contact_key, contact_service,
                      identity_key, link_secret, linked_authenticator, linked_client, qr_secret, receiver, registrant, root, sender,
                      static_key, terminal, user, verifier, wallet_role)
from terms import EVIL, agree, frame, functions, public, seal, show, sign

NET, LATER = "net", "later"
# What is no point of the curve, and makes an agreement that anybody can compute.
INFINITY = ("infinity",)
# Of all sessions of one kind a violation concerns two.
HERE, THERE = ("here",), ("there",)
# Each can be switched on by itself. The attacker always has the network and is the tunnel service and the contact service.
ATTACKERS = {
    "hears": "is near the authenticator and hears adverts",
    "sends": "is near the client and sends adverts",
    "code": "sees the code",
    "own code": "shows the authenticator a code of its own, or one with a secret or a key of another's",
    "own code only": "shows the authenticator a code of its own, and cannot pass on another's",
    "link file": "has the client's file of links",
    "root secret": "has the authenticator's root secret",
    "identity key": "has the authenticator's identity key alone",
    "contact key": "has the authenticator's contact key alone",
    "code, later": "sees the code when the session is over",
    "client key, later": "has code and key of the client when the session is over",
    "link file, later": "has the client's file of links when the session is over",
    "identity key, later": "has the authenticator's identity key when the session is over",
    "root secret, later": "has the authenticator's root secret when the session is over",
    "apart": "and the client is not near the authenticator",
}


# What of a code is whose: a secret and a private key. A key that the attacker has made is as good as any other of its own.
CODES = {
    "own code": ((EVIL, EVIL), (qr_secret("T"), EVIL), (EVIL, static_key("T"))),
    "own code only": ((EVIL, EVIL),),
}


class World:
    """Roles of `system`, with `parts` in use, mechanisms `without`, and an attacker who can do `attacker`."""

    def __init__(self, system, attacker=(), without=()):
        self.system, self.attacker, self.without = system, frozenset(attacker), frozenset(without)
        assert self.attacker <= set(ATTACKERS), attacker
        self.parts = frozenset(SYSTEMS[system][0]) - self.without

    def roles(self):
        return SYSTEMS[self.system][1](self)


def _answerers(w, role):
    """An answering role: it reads the codes of honest clients, and with "own code" those of the attacker."""
    # Apart from the client nobody shows its code but an attacker who passes it on.
    roles = [] if {"own code only", "apart"} <= w.attacker else [role(w, qr_secret("S"), public(client_key(w, "S")))]
    for power, codes in CODES.items():
        if power in w.attacker:
            roles += [role(w, q, public(p), ("net", q), ("net", public(p))) for q, p in codes]
    return roles


SYSTEMS = {
    "code": ((), lambda w: [client(w), *_answerers(w, authenticator)]),
    "linking": (("linking",), lambda w: [client(w), *_answerers(w, authenticator)]),
    "approval": (("approval",), lambda w: [user(w), *_answerers(w, authenticator)]),
    "link": ((), lambda w: [linked_client(w), linked_authenticator(w)]),
    "registration": ((), lambda w: [contact_service(w), registrant(w, HOME, challenge(HERE)), registrant(w, EVIL_HOST, "C")]),
    "credential": ((), lambda w: [verifier(w), *_answerers(w, wallet_role)]),
    "credential, hash bound": (("hash-binding",), lambda w: [verifier(w), *_answerers(w, wallet_role)]),
    "credential, phishing page": ((), lambda w: [verifier(w), browser(w), *_answerers(w, wallet_role)]),
    "credential, phishing page, hash bound": (("hash-binding",), lambda w: [verifier(w), browser(w), *_answerers(w, wallet_role)]),
    "credential, terminal": ((), lambda w: [terminal(w), *_answerers(w, wallet_role)]),
    "credential, terminal, hash bound": (("hash-binding",), lambda w: [terminal(w), *_answerers(w, wallet_role)]),
    "hand-over": ((), lambda w: [receiver(w), *_answerers(w, sender)]),
}


def clauses_of(role):
    """What a role's steps say: all that it has received so far leads to what it sends."""
    known, clauses = [(channel, (term,)) for channel, term in role.given], []
    for kind, channel, what in role.steps:
        if kind == "receive":
            known.append((channel, (what,)))
        else:
            clauses.append((tuple(known), (channel, what if kind == "event" else (what,))))
    return clauses


def thefts(w):
    """What the attacker has, and when: (predicate, term)."""
    secrets = {
        "code": (), "client key": (qr_secret("S"), client_key(w, "S")), "root secret": (root("B"),),
        "link file": (link_secret(w, "B", "L"), public(identity_key("B"))),
        "identity key": (identity_key("B"),), "contact key": (contact_key("B"),),
    }
    secrets["code, later"] = (qr_secret("S"), public(client_key(w, "S")))
    for power in sorted(w.attacker):
        name, _, later = power.partition(", ")
        for term in secrets.get(power, secrets.get(name, ())):
            yield LATER if later else NET, term


def network(w):
    """The attacker's own clauses, and the air."""
    def knows(term, predicate=NET):
        return predicate, (term,)

    clauses = [] if "apart" in w.attacker else [((("air_authenticator", ("M",)),), ("air_client", ("M",)))]
    for power, heard, known in (("hears", "air_authenticator", NET), ("code", "screen", NET)):
        if power in w.attacker:
            clauses.append((((heard, ("M",)),), knows("M")))
    if "sends" in w.attacker:
        clauses.append(((knows("M"),), ("air_client", ("M",))))
    if "point-check" in w.without:
        clauses += [((), knows(INFINITY)), ((), knows(agree("X", INFINITY)))]
    if w.system in ("linking", "link"):  # Whoever has ever been linked knows an authenticator's public key.
        clauses.append(((), knows(public(identity_key("B")))))
    clauses += [((), knows(term, predicate)) for predicate, term in thefts(w)]
    return clauses


def attacker(terms, predicate):
    """What anybody can compute: all functions but the names that others draw, and what opens what."""
    signature = set()
    for term in (*terms, EVIL):
        functions(term, signature)
    clauses = []

    def knows(term):
        return predicate, (term,)

    for name, count in sorted(signature):
        if name not in NAMES:
            inputs = [f"V{index}" for index in range(count)]
            clauses.append((tuple(map(knows, inputs)), knows((name, *inputs))))
            if name in TUPLES:
                clauses += [((knows((name, *inputs)),), knows(each)) for each in inputs]
    clauses.append(((knows(seal("K", "M")), knows("K")), knows("M")))
    clauses.append(((knows(frame("K", "C", "M")), knows("K")), knows("M")))
    clauses.append(((knows(sign("K", "M")),), knows("M")))
    return clauses


def system(w):
    """All clauses of a world."""
    clauses = [clause for role in w.roles() for clause in clauses_of(role)] + network(w)
    terms = [term for hypotheses, conclusion in clauses for _, terms in (*hypotheses, conclusion) for term in terms]
    clauses += attacker(terms, NET)
    if any(power.endswith(", later") for power in w.attacker):
        clauses += attacker(terms, LATER)
        clauses.append((((NET, ("M",)),), (LATER, ("M",))))
    return clauses


def signature_of(clauses):
    signature = set()
    for hypotheses, conclusion in clauses:
        for _, terms in (*hypotheses, conclusion):
            for term in terms:
                functions(term, signature)
    return signature


def differing(clauses):
    """Clauses for `differ`: terms are different if they begin with two names, or if arguments of one function differ.

    Key agreements are left out: they have two forms, and whatever makes two of them different stands elsewhere in a handshake hash.
    Of all sessions of one kind a violation concerns two, and these are called here and there."""
    signature = sorted(signature_of(clauses))
    leaves = [(name, *(f"{{}}{index}" for index in range(count))) for name, count in signature if name in NAMES or count == 0]

    def fill(term, letter):
        return (term[0], *(argument.format(letter) for argument in term[1:]))

    pairs = [(fill(one, "X"), fill(other, "Y")) for one in leaves for other in leaves if one != other]
    pairs += [(HERE, THERE), (THERE, HERE)]
    result = [((), ("differ", pair)) for pair in pairs]
    for name, count in signature:
        if name in {"agree", "chain", "chain3", "key", "key3", "split1", "split2", "frame", "seal"}:
            continue
        for index in range(1 if name == "tag" else 0, count):
            xs, ys = ([f"{letter}{number}" for number in range(count)] for letter in "XY")
            result.append(((("differ", (xs[index], ys[index])),), ("differ", ((name, *xs), (name, *ys)))))
    return result


def tptp(w, goals):
    """The world and the negation of its goals: unsatisfiable if one of them can be reached."""
    lines = ["cnf(agreement,axiom,(agree(X,public(Y))=agree(Y,public(X))))."]
    clauses = system(w)
    if any(name == "differ" for goal in goals for name, _ in goal):
        clauses += differing(clauses)
    clauses += [(tuple(goal), ("reached", ())) for goal in goals]
    for index, (hypotheses, conclusion) in enumerate(dict.fromkeys(clauses)):
        literals = [_literal(conclusion), *(f"~{_literal(each)}" for each in dict.fromkeys(hypotheses))]
        lines.append(f"cnf(c{index},axiom,({'|'.join(literals)})).")
    return "\n".join([*lines, "cnf(goal,negated_conjecture,(~reached)).", ""])


def _literal(literal):
    name, arguments = literal
    return f"{name}({','.join(map(show, arguments))})" if arguments else name
