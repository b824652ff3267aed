"""The protocol: what each role sends, and what it checks before it goes on.

A role is a list of steps. What it receives is a pattern: a value of another form is refused. Names in capital letters are what the
other side chose, or number things: S sessions of clients, A sessions of authenticators, B authenticators, L links. A mechanism in
`w.without` is left out: see variants.py.
"""
from schedule import CONTACT, EID_KEY, IDENTITY, KN, NK, PAIRED, PSK, TUNNEL_ID, Handshake
from terms import NONE, agree, derive, digest, fn, frame, mac, public, seal, sign

# Secrets and nonces, which somebody draws: nobody else can make them.
NAMES = ("qr_secret", "static_key", "client_e", "advert_nonce", "authenticator_e", "request", "answer", "first", "root", "passkey",
         "link_nonce", "linked_e", "challenge", "verifier_nonce", "wallet", "receiver_number", "sender_number", "vault_key")
(qr_secret, static_key, client_e, advert_nonce, authenticator_e, request, answer, first, root, passkey, link_nonce, linked_e,
 challenge, verifier_nonce, wallet, receiver_number, sender_number, vault_key) = map(fn, NAMES)
link_id = fn("link_id")
# What anybody can take apart and put together.
TUPLES = ("code", "link", "registration", "presented", "asked_for", "yes", "shown", "identity")
code, link, registration, presented, asked_for, yes, shown, identity = map(fn, TUPLES)
N0, N1, N2 = ("n0",), ("n1",), ("n2",)
HOME, EVIL_HOST, HARMLESS, VERIFIER, PHISHING = ("home",), ("elsewhere",), ("harmless",), ("verifier",), ("phishing",)


class Role:
    """The steps of one role, in their order, and what it knows before the first."""

    def __init__(self, name, *given):
        self.name, self.given, self.steps = name, given, []

    def sends(self, channel, *terms):
        self.steps += [("send", channel, term) for term in terms]

    def receives(self, channel, *terms):
        self.steps += [("receive", channel, term) for term in terms]

    def event(self, name, *terms):
        self.steps.append(("event", name, terms))


class Session:
    """One end's frames: the key of each direction, and the counters (HT-FRM-10 to HT-FRM-12)."""

    def __init__(self, w, role, sealing, opening):
        self.w, self.role, self.sealing, self.opening = w, role, sealing, opening

    def _counter(self, counter):
        return NONE if "counter" in self.w.without else counter

    def sends(self, counter, message):
        self.role.sends("net", frame(self.sealing, self._counter(counter), message))

    def receives(self, counter, pattern):
        if "frame-tag" in self.w.without:
            self.role.receives("net", pattern)
        else:
            self.role.receives("net", frame(self.opening, self._counter(counter), pattern))


def checked(w, point):
    """A point from the peer: one of P-256 (HT-HS-14), or, where that is not checked, anything."""
    return point if "point-check" in w.without else public(point)


def advert_key(w, secret, nonce=NONE):
    purpose = PSK if "purpose" in w.without else EID_KEY
    return derive(purpose, secret, NONE if "nonce-in-advert-key" in w.without else nonce)


def preshared_key(w, secret, plaintext):
    """HT-KEY-6 and HT-KEY-8."""
    return derive(PSK, NONE if "secret-in-psk" in w.without else secret, NONE if "advert-in-psk" in w.without else plaintext)


def handshake(w, pattern, static, psk):
    return Handshake(pattern, static, psk, w.without)


def identity_key(authenticator):
    """HT-KEY-10."""
    return derive(IDENTITY, root(authenticator), NONE)


def contact_key(authenticator):
    """HT-KEY-13."""
    return derive(CONTACT, root(authenticator), NONE)


def link_secret(w, authenticator, number):
    """HT-KEY-9 and HT-LNK-8."""
    return link_id(number) if "link-secret" in w.without else derive(PAIRED, root(authenticator), link_id(number))


def client_key(w, session):
    """The client's private key for a code (HT-QR-22)."""
    return static_key(NONE if "key-of-each-code" in w.without else session)


def client(w):
    """Shows a code, opens an advert of it, shakes hands, asks, and takes a link (the article Ceremony)."""
    r, q, c = Role("client"), qr_secret("S"), client_key(w, "S")
    e = client_e(NONE if "new-ephemeral" in w.without else "S")
    r.sends("screen", q, public(c))
    r.receives("air_client", "N" if "advert-tag" in w.without else seal(advert_key(w, q), "N"))
    hs = handshake(w, KN, public(c), preshared_key(w, q, "N"))
    r.sends("net", public(e), hs.message_1(public(e)))
    y = checked(w, "Y")
    tag_2 = hs.message_2(y, agree(e, y), agree(c, y))
    r.receives("net", y, *(() if "tag-2" in w.without else (tag_2,)))
    session = Session(w, r, *hs.keys())
    session.receives(N0, "F")
    r.event("client_first", "S", hs.h, "F")
    session.sends(N0, request("S", hs.h))
    session.receives(N1, "X")
    r.event("client_done", "S", hs.h, request("S", hs.h), "X")
    if "linking" in w.parts:
        z = public(identity_key("B"))  # A link under another key is one to whoever has that key.
        proof = mac(agree(c, z), NONE if "hash-in-mac" in w.without else hs.h)
        session.receives(N2, link("I", "K", z, *(() if "mac" in w.without else (proof,))))
        r.event("client_linked", "S", hs.h, "K", z)
    return r


def authenticator(w, q, p, *given):
    """Reads a code with secret q and key p, adverts, answers the handshake, then a request, and offers a link."""
    r, e = Role("authenticator", *given), authenticator_e(NONE if "new-ephemeral" in w.without else "A", q)
    n = advert_nonce(NONE if "new-advert" in w.without else "A", q)
    r.sends("net", derive(PSK if "purpose" in w.without else TUNNEL_ID, q, NONE))
    r.sends("air_authenticator", n if "advert-seal" in w.without else seal(advert_key(w, q), n))
    hs = handshake(w, KN, p, preshared_key(w, q, n))
    x = checked(w, "X")
    tag_1 = hs.message_1(x)
    r.receives("net", x, *(() if "tag-1" in w.without else (tag_1,)))
    r.event("authenticator_heard", "A", code(q, p), x)
    r.sends("net", public(e), hs.message_2(public(e), agree(e, x), agree(e, p)))
    opening, sealing = hs.keys()
    session = Session(w, r, sealing, opening)
    session.sends(N0, first("A", code(q, p), hs.h))
    session.receives(N0, "R")
    r.event("authenticator_asked", "A", code(q, p), hs.h, "R")
    if "approval" in w.parts:
        # HT-CTAP-48 and the article ThreatModel: a yes is for one question, which names what was asked.
        r.sends("display", shown("A", HARMLESS if "shown-is-answered" in w.without else "R"))
        r.receives("button", yes("A", "W" if "yes-for-this" in w.without else HARMLESS if "shown-is-answered" in w.without else "R"))
    session.sends(N1, answer("A", code(q, p), hs.h, "R"))
    r.event("authenticator_done", "A", code(q, p), hs.h, "R")
    if "linking" in w.parts:
        i = identity_key("B")
        proof = mac(agree(i, p), NONE if "hash-in-mac" in w.without else hs.h)
        session.sends(N2, link(link_id("A"), link_secret(w, "B", "A"), public(i), *(() if "mac" in w.without else (proof,))))
        r.event("authenticator_linked", "A", code(q, p), hs.h, "B")
    return r


def user(w):
    """Says yes to what the display shows, if it is what he wants."""
    r = Role("user")
    r.receives("display", shown("A", HARMLESS))
    r.sends("button", yes("A", HARMLESS))
    return r


def linked_client(w):
    """Asks the tunnel service for its authenticator, opens the advert, shakes hands (StateAssistedTransactions)."""
    r, secret = Role("linked client"), link_secret(w, "B", "L")
    v, e, i = link_nonce(NONE if "new-nonce" in w.without else "S"), linked_e("S"), public(identity_key("B"))
    r.sends("net", link_id("L"), v, *((secret,) if "secret-kept" in w.without else ()))
    r.receives("air_client", seal(advert_key(w, secret, v), "N"))
    hs = handshake(w, NK, i, preshared_key(w, secret, "N"))
    r.sends("net", public(e), hs.message_1(public(e), agree(e, i)))
    y = checked(w, "Y")
    tag_2 = hs.message_2(y, agree(e, y))
    r.receives("net", y, *(() if "tag-2" in w.without else (tag_2,)))
    session = Session(w, r, *hs.keys())
    session.receives(N0, "F")
    session.sends(N0, request("S", hs.h))
    session.receives(N1, "X")
    r.event("linked_client_done", "S", "B", "L", hs.h, request("S", hs.h), "X")
    return r


def linked_authenticator(w):
    """Is woken with a link ID and a nonce by whoever calls itself the service, adverts, and answers."""
    r, secret, i = Role("linked authenticator"), link_secret(w, "B", "L"), identity_key("B")
    e, n = authenticator_e("A", link_id("L")), advert_nonce(NONE if "new-advert" in w.without else "A", link_id("L"))
    r.receives("net", link_id("L"), "V")
    r.sends("air_authenticator", seal(advert_key(w, secret, "V"), n))
    hs = handshake(w, NK, public(i), preshared_key(w, secret, n))
    x = checked(w, "X")
    tag_1 = hs.message_1(x, agree(i, x))
    r.receives("net", x, *(() if "tag-1" in w.without else (tag_1,)))
    r.event("linked_authenticator_heard", "A", "B", "L", x)
    r.sends("net", public(e), hs.message_2(public(e), agree(e, x)))
    opening, sealing = hs.keys()
    session = Session(w, r, sealing, opening)
    session.sends(N0, first("A", link_id("L"), hs.h))
    session.receives(N0, "R")
    r.event("linked_authenticator_asked", "A", "B", "L", hs.h, "R")
    session.sends(N1, answer("A", link_id("L"), hs.h, "R"))
    return r


def contact_service(w):
    """Takes a registration on its connection S (the article ContactSide)."""
    r, c = Role("contact service"), challenge("S")
    r.sends("net", c)
    what = registration(NONE if "name-in-proof" in w.without else HOME, NONE if "challenge-in-proof" in w.without else c)
    r.receives("net", public("D"), *(() if "proof" in w.without else (sign("D", what),)))
    r.event("registered", "S", public("D"))
    return r


def registrant(w, host, its_challenge):
    """Registers with a service, under the challenge of one connection."""
    r, c = Role("registrant"), its_challenge
    r.receives("net", c)
    what = registration(NONE if "name-in-proof" in w.without else host, NONE if "challenge-in-proof" in w.without else c)
    r.sends("net", public(contact_key("B")), sign(contact_key("B"), what))
    return r


def verifier(w):
    """A site that asks for a credential, in a session S of a visitor's, and learns the client's handshake hash from the visitor."""
    r, v = Role("verifier"), verifier_nonce("S")
    r.sends("net", v)
    bound = "H" if "hash-binding" in w.parts else NONE
    r.receives("net", sign(wallet("B"), presented(v, NONE if "origin" in w.without else VERIFIER, bound)), *(
        ("H",) if "hash-binding" in w.parts else ()))
    r.event("verified", "S", "B")
    return r


def terminal(w):
    """A client that the site trusts, such as its terminal: it asks over hybrid, and passes answer and hash on to the site."""
    r, q, c, e, v = Role("terminal"), qr_secret("S"), static_key("S"), client_e("S"), verifier_nonce("S")
    r.sends("screen", q, public(c))
    r.receives("air_client", seal(advert_key(w, q), "N"))
    hs = handshake(w, KN, public(c), preshared_key(w, q, "N"))
    r.sends("net", public(e), hs.message_1(public(e)))
    y = public("Y")
    r.receives("net", y, hs.message_2(y, agree(e, y), agree(c, y)))
    session = Session(w, r, *hs.keys())
    session.sends(N0, asked_for(VERIFIER, v))
    session.receives(N1, sign(wallet("B"), presented(v, VERIFIER, hs.h if "hash-binding" in w.parts else NONE)))
    r.event("terminal_verified", "S", "B", q)
    return r


def browser(w):
    """A browser that shows the phishing page: it says so in the origin, and gives the page the answer."""
    r, q, c, e = Role("browser"), qr_secret("S"), static_key("S"), client_e("S")
    r.receives("net", "V")
    r.sends("screen", q, public(c))
    r.receives("air_client", seal(advert_key(w, q), "N"))
    hs = handshake(w, KN, public(c), preshared_key(w, q, "N"))
    r.sends("net", public(e), hs.message_1(public(e)))
    y = public("Y")
    r.receives("net", y, hs.message_2(y, agree(e, y), agree(c, y)))
    session = Session(w, r, *hs.keys())
    session.sends(N0, asked_for(PHISHING, "V"))
    session.receives(N1, "X")
    r.sends("net", "X", hs.h)
    return r


def wallet_role(w, q, p, *given):
    """Answers a code of anybody's; its user agrees to show the credential to the site that is named."""
    r, n, e = Role("wallet", *given), advert_nonce("A", q), authenticator_e("A", q)
    r.sends("air_authenticator", seal(advert_key(w, q), n))
    hs = handshake(w, KN, p, preshared_key(w, q, n))
    x = public("X")
    r.receives("net", x, hs.message_1(x))
    r.sends("net", public(e), hs.message_2(public(e), agree(e, x), agree(e, p)))
    opening, sealing = hs.keys()
    session = Session(w, r, sealing, opening)
    session.receives(N0, asked_for("O", "V"))
    bound = hs.h if "hash-binding" in w.parts else NONE
    session.sends(N1, sign(wallet("A"), presented("V", NONE if "origin" in w.without else "O", bound)))
    r.event("presented_to", "A", q)
    return r


def number(w, h, received, sent):
    """PX-HOV-12: what is shown at the receiver and typed at the sender; without loss here, six digits in truth."""
    return digest(NONE if "hash-in-number" in w.without else h, digest(received, sent))


def proof(w, key, h):
    """PX-HOV-26."""
    return identity(public(key), sign(key, NONE if "hash-in-proof" in w.without else h))


def receiver(w):
    """Takes passkeys over (the article HandOver): shows a code and a number."""
    r, q, c, e, m = Role("receiver"), qr_secret("S"), static_key("S"), client_e("S"), receiver_number("S")
    r.sends("screen", q, public(c))
    r.receives("air_client", seal(advert_key(w, q), "N"))
    hs = handshake(w, KN, public(c), preshared_key(w, q, "N"))
    r.sends("net", public(e), hs.message_1(public(e)))
    y = public("Y")
    r.receives("net", y, hs.message_2(y, agree(e, y), agree(c, y)))
    session = Session(w, r, *hs.keys())
    session.sends(N0, m)
    session.receives(N0, "T")
    r.sends("people", number(w, hs.h, m, "T"))
    # In truth not before the digits were typed (PX-HOV-27): that takes an order of time, which clauses do not have.
    session.sends(N1, proof(w, vault_key("B"), hs.h))
    session.receives(N1, "X")
    r.event("received", "S", hs.h, "X")
    return r


def sender(w, q, p, *given):
    """Hands passkeys over, once the receiver's number was typed and the receiver has proven who it is."""
    r, n, e, t = Role("sender", *given), advert_nonce("A", q), authenticator_e("A", q), sender_number("A")
    r.sends("air_authenticator", seal(advert_key(w, q), n))
    hs = handshake(w, KN, p, preshared_key(w, q, n))
    x = public("X")
    r.receives("net", x, hs.message_1(x))
    r.sends("net", public(e), hs.message_2(public(e), agree(e, x), agree(e, p)))
    opening, sealing = hs.keys()
    session = Session(w, r, sealing, opening)
    session.receives(N0, "M")
    session.sends(N0, t)
    if "compare" not in w.without:
        r.receives("people", number(w, hs.h, "M", t))
    session.receives(N1, proof(w, "K", hs.h))
    r.event("known", "A", q, p, "K")
    session.sends(N1, passkey("A"))
    r.event("handed_over", "A", hs.h)
    return r
