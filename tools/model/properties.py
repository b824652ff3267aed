"""Properties: for each, what the attacker would have to reach, as conjunctions of facts; and the honest ends, which must be reached."""
from protocol import (HARMLESS, answer, client_key, code, contact_key, first, identity_key, link_id, link_secret, passkey, qr_secret,
                      request, vault_key)
from terms import EVIL, public
from world import HERE, LATER, NET, THERE, signature_of, system


def _agreement(event, message, *pairs):
    """Somebody has taken a message of another making, or one whose maker sees one of the pairs differently.

    The message is the event's last argument."""
    def goals(w):
        begun = event[0], (*event[1:], message)
        others = [(name, *(f"O{index}" for index in range(count))) for name, count in sorted(signature_of(system(w)))
                  if name not in (message[0], "agree")]
        return [[begun, ("differ", pair)] for pair in pairs] + [[(event[0], (*event[1:], other))] for other in others]
    return goals


def _code(w):
    """The code of an honest client, as an authenticator has read it."""
    return code(qr_secret("S"), public(client_key(w, "S")))


def _fact(*goals):
    return lambda w: [[(goal[0], goal[1:])] for goal in goals]


# name: (sentence, what would break it)
PROPERTIES = {
    "request secret": ("the attacker does not learn a client's request", _fact((NET, request("S", "H")))),
    "answer secret": ("the attacker does not learn an authenticator's answer to the code of an honest client",
                      lambda w: [[(NET, (answer("A", _code(w), "H", "R"),))]]),
    "request secret later": ("nor when the session is over and the attacker gets keys", _fact((LATER, request("S", "H")))),
    "answer secret later": ("nor when the session is over and the attacker gets keys",
                            lambda w: [[(LATER, (answer("A", _code(w), "H", "R"),))]]),
    "client agrees": ("whose answer a client takes, that authenticator has the same code, handshake hash and request",
                      lambda w: _agreement(("client_done", "S", "H", "R"), answer("A", "Q", "H2", "R2"), ("H", "H2"), ("R", "R2"),
                                           ("Q", _code(w)))(w)),
    "client agrees on first message": ("so too for the first message", lambda w: _agreement(
        ("client_first", "S", "H"), first("A", "Q", "H2"), ("H", "H2"), ("Q", _code(w)))(w)),
    "authenticator agrees": ("whose request an authenticator takes after an honest client's code, that client has sent it in this "
                             "session", lambda w: _agreement(("authenticator_asked", "A", _code(w), "H"), request("S2", "H2"),
                                                             ("H", "H2"), ("S", "S2"))(w)),
    "near": ("an authenticator goes on only with a client that has its advert", _fact(
        ("authenticator_heard", "A", "Q", public(EVIL)))),
    "no answer for the attacker": ("the attacker gets no answer, no matter whose code was read", _fact((NET, answer("A", "Q", "H", "R")))),
    "no session apart": ("a client and an authenticator that are not near each other finish no session", _fact(
        ("client_done", "S", "H", "R", answer("A", "Q", "H2", "R2")))),
    "link binds": ("a client keeps no link of the attacker's making under the key of an authenticator", _fact(
        ("client_linked", "S", "H", EVIL, public(identity_key("B"))))),
    "link secret": ("the attacker does not learn the secret of a link that was given to an honest client",
                    lambda w: [[(NET, (link_secret(w, "B", "A"),))]]),
    "approved request": ("an authenticator answers no request but the one that its user has approved", _fact(
        ("authenticator_done", "A", "Q", "H", EVIL))),
    "linked request secret": ("the attacker does not learn a linked client's request", _fact((NET, request("S", "H")))),
    "linked answer secret": ("the attacker does not learn a woken authenticator's answer",
                             _fact((NET, answer("A", link_id("L"), "H", "R")))),
    "linked request secret later": ("nor when the session is over and the attacker gets keys", _fact((LATER, request("S", "H")))),
    "linked answer secret later": ("nor when the session is over and the attacker gets keys",
                                   _fact((LATER, answer("A", link_id("L"), "H", "R")))),
    "linked client agrees": ("whose answer a linked client takes, that is its authenticator, with the same hash and request",
                             _agreement(("linked_client_done", "S", "B", "L", "H", "R"), answer("A", "D", "H2", "R2"),
                                        ("H", "H2"), ("R", "R2"), ("D", link_id("L")))),
    "linked authenticator agrees": ("whose request a woken authenticator takes, that is a linked client, with the same hash",
                                    _agreement(("linked_authenticator_asked", "A", "B", "L", "H"), request("S2", "H2"),
                                               ("H", "H2"))),
    "linked near": ("a woken authenticator goes on only with a client that has its advert", _fact(
        ("linked_authenticator_heard", "A", "B", "L", public(EVIL)))),
    "registration": ("a contact service wakes an authenticator only where its holder has registered, on that connection", _fact(
        ("registered", THERE, public(contact_key("B"))))),
    "no relayed credential": ("a verifier takes no credential in a session of the attacker's", _fact(("verified", "S", "B"))),
    "no relayed credential at a terminal": ("a verifier's own terminal takes no credential from a wallet that is not near", _fact(
        ("terminal_verified", "S", "B", "Q"))),
    "receiver is known": ("a sender that has read a code of the attacker's does not take him for another's vault", _fact(
        ("known", "A", "Q", public(EVIL), vault_key("B")))),
    "passkeys secret": ("the attacker does not learn passkeys that are handed over", _fact((NET, passkey("A")))),
}
# name: (system, the end that an honest run reaches)
ENDS = {
    "client ends": ("code", lambda w: [[("client_done", (
        "S", "H", request("S", "H"), answer("A", _code(w), "H", request("S", "H"))))]]),
    "authenticator ends": ("code", lambda w: [[("authenticator_done", ("A", _code(w), "H", request("S", "H")))]]),
    "client keeps a link": ("linking", lambda w: [[("client_linked", (
        "S", "H", link_secret(w, "B", "A"), public(identity_key("B"))))]]),
    "authenticator answers approved request": ("approval", _fact(("authenticator_done", "A", "Q", "H", HARMLESS))),
    "linked client ends": ("link", _fact(("linked_client_done", "S", "B", "L", "H", request("S", "H"),
                                          answer("A", link_id("L"), "H", request("S", "H"))))),
    "authenticator is registered": ("registration", _fact(("registered", HERE, public(contact_key("B"))))),
    "terminal takes a credential": ("credential, terminal", _fact(("terminal_verified", "S", "B", qr_secret("S")))),
    "terminal takes a credential, hash bound": ("credential, terminal, hash bound", _fact(
        ("terminal_verified", "S", "B", qr_secret("S")))),
    "passkeys arrive": ("hand-over", _fact(("received", "S", "H", passkey("A")))),
}
