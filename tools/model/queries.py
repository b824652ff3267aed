"""What is asked, with the verdict that is expected and the reason.

A claim is (system, property, what the attacker can do, verdict, reason). Each that is proven has at least one variant: the same query
with a mechanism left out, in which the prover finds an attack.
"""
PROVEN, ATTACK = "proven", "attack"
NEAR = ("hears", "sends")
ALL = (*NEAR, "code", "own code")

# name: (rules, what is left out)
MECHANISMS = {
    "psk": ("HT-HS-7 HT-HS-18", "the handshake has no pre-shared key"),
    "secret-in-psk": ("HT-KEY-6 HT-KEY-8", "the PSK comes from the advert alone"),
    "advert-in-psk": ("HT-KEY-6 HT-KEY-8 HT-STA-32", "the PSK comes from the secret alone"),
    "advert-tag": ("HT-ADV-7 HT-ADV-9 HT-STA-33", "the client takes any advert"),
    "advert-seal": ("HT-ADV-6 HT-KEY-4", "the advert is sent in clear"),
    "new-advert": ("HT-ADV-2", "the authenticator repeats its plaintext"),
    "nonce-in-advert-key": ("HT-KEY-7", "the EID key of a link is the same each time"),
    "new-nonce": ("HT-STA-3", "a linked client repeats its nonce"),
    "purpose": ("HT-KEY-1 HT-KEY-5", "tunnel ID, EID key and PSK have one purpose"),
    "key-of-each-code": ("HT-QR-22", "a client has one key for all its codes"),
    "new-ephemeral": ("HT-HS-11", "both ends keep their ephemeral keys"),
    "pattern-name": ("HT-HS-1 HT-HS-2 HT-HS-20", "both patterns have one name"),
    "prologue": ("HT-HS-3", "there is no prologue"),
    "static-in-hash": ("HT-HS-4", "the static key is not in the hash"),
    "e-in-hash": ("HT-HS-12 HT-HS-23", "the ephemeral keys are not in the hash"),
    "e-in-key": ("HT-HS-8", "the ephemeral keys are not passed to MixKey"),
    "ee": ("HT-HS-9", "the ephemeral keys are not agreed with each other"),
    "se": ("HT-HS-9 HT-HS-19", "the client's static key is not used"),
    "es": ("HT-HS-9 HT-HS-19", "the authenticator's static key is not used"),
    "point-check": ("HT-HS-14 HT-HS-15 HT-HS-16 HT-LNK-29", "a point is taken that is none"),
    "tag-1": ("HT-HS-17", "the authenticator does not check the tag of message 1"),
    "tag-2": ("HT-HS-17 HT-HS-26", "the client does not check the tag of message 2"),
    "two-keys": ("HT-HS-27 HT-FRM-10 HT-FRM-19", "both directions have one key"),
    "counter": ("HT-FRM-11 HT-FRM-12 HT-FRM-18", "frames have no numbers"),
    "frame-tag": ("HT-FRM-16 HT-FRM-20", "frames are not authenticated"),
    "mac": ("HT-LNK-6 HT-LNK-30", "linking data have no MAC"),
    "hash-in-mac": ("HT-LNK-6 HT-LNK-30", "the MAC does not cover the handshake hash"),
    "link-secret": ("HT-LNK-8", "a link's secret can be guessed"),
    "secret-kept": ("HT-STA-6", "a linked client sends its secret with the contact request"),
    "yes-for-this": ("HT-CTAP-48", "a yes counts for whatever is answered"),
    "shown-is-answered": ("HT-DC-44", "the user is shown something else than is answered"),
    "proof": ("TS-CON-19", "a registration has no signature"),
    "name-in-proof": ("TS-CON-19", "the signature does not name the service"),
    "challenge-in-proof": ("TS-CON-20", "the signature does not have the challenge"),
    "origin": ("HT-DC-17 HT-DC-43", "the wallet does not sign the origin"),
    "hash-binding": ("", "the wallet does not sign the handshake hash"),
    "compare": ("PX-HOV-13 PX-HOV-15", "nobody compares the digits"),
    "hash-in-number": ("PX-HOV-12", "the digits do not come from the handshake hash"),
}

CLAIMS = [
    ("code", "request secret", NEAR, PROVEN, "he lacks the code, so that he can neither open an advert nor make a PSK"),
    ("code", "request secret", ("code", "own code"), PROVEN, "he lacks the advert: nobody who is far has the PSK"),
    ("code", "request secret", (*NEAR, "code"), ATTACK, "who has seen the code and is near answers in the phone's place"),
    ("code", "answer secret", NEAR, PROVEN, "he lacks the code"),
    ("code", "answer secret", ALL, PROVEN, "message 2 takes the client's private key, which no code shows"),
    ("code", "client agrees", NEAR, PROVEN, "he lacks the code"),
    ("code", "client agrees", ("code",), PROVEN, "he lacks the advert"),
    ("code", "client agrees", (*NEAR, "own code"), PROVEN, "what he learns with codes of his own helps him nothing"),
    ("code", "client agrees", (*NEAR, "code"), ATTACK, "as the request: nothing says which phone read the code"),
    ("code", "client agrees on first message", NEAR, PROVEN, "he lacks the code"),
    ("code", "client agrees on first message", ("code",), PROVEN, "he lacks the advert"),
    ("code", "authenticator agrees", ALL, PROVEN, "the client's private key is in the traffic keys"),
    ("code", "near", ("sends", "code", "own code"), PROVEN, "he lacks the advert, even of a code of his own: phishing from afar fails"),
    ("code", "near", ("hears", "own code"), ATTACK, "a receiver near the phone passes the advert on"),
    ("code", "near", ("hears", "code"), ATTACK, "message 1 of KNpsk0 takes no private key: it is the next message that fails"),
    ("code", "no answer for the attacker", ("sends", "code", "own code"), PROVEN, "he lacks the advert"),
    ("code", "no answer for the attacker", (*NEAR, "code"), PROVEN, "he lacks the client's private key"),
    ("code", "no answer for the attacker", ("hears", "own code"), ATTACK, "phishing with a receiver near the victim"),
    ("code", "no session apart", ("sends", "code", "own code", "apart"), PROVEN, "no advert gets from the one to the other"),
    ("code", "no session apart", (*NEAR, "apart"), ATTACK, "a relay of adverts between both places: nothing measures distance"),
    ("code", "request secret later", (*NEAR, "code, later"), PROVEN, "ee and se are left"),
    ("code", "request secret later", (*NEAR, "client key, later"), PROVEN, "ee is left: forward secrecy"),
    ("code", "answer secret later", (*NEAR, "code, later"), PROVEN, "ee and se are left"),
    ("code", "answer secret later", (*NEAR, "client key, later"), PROVEN, "ee is left: forward secrecy"),
    ("linking", "link binds", (*NEAR, "code"), PROVEN, "the MAC takes the private key of the identity"),
    ("linking", "link secret", NEAR, PROVEN, "it travels in the session"),
    ("approval", "what was approved", ALL, PROVEN, "a yes names the request that was shown, and that one is answered"),
    ("registration", "registration", (), PROVEN, "the signature has the service's name and its challenge"),
    ("registration", "registration", ("identity key", "link file"), PROVEN, "neither gives the contact key"),
    ("registration", "registration", ("contact key",), ATTACK, "who has the contact key is woken in the authenticator's place"),
    ("registration", "registration", ("root secret",), ATTACK, "the contact key comes from the root secret"),
    ("credential", "no relayed credential", ("sends", "code", "own code"), PROVEN, "he is far: he lacks the advert"),
    ("credential", "no relayed credential", ("hears", "own code"), ATTACK, "his own client says the verifier's origin"),
    ("credential, hash bound", "no relayed credential", ("hears", "own code"), ATTACK,
     "the hash is that of his own session, and he says so to the verifier"),
    ("credential, phishing page", "no relayed credential", ("own code",), PROVEN, "an honest browser says the page's origin"),
    ("credential, terminal", "no relayed credential at a terminal", (*NEAR, "code", "own code only", "apart"), ATTACK,
     "two sessions, with him between them"),
    ("credential, terminal, hash bound", "no relayed credential at a terminal", (*NEAR, "code", "own code only", "apart"), PROVEN,
     "the wallet signs the hash of the other session"),
    ("credential, terminal, hash bound", "no relayed credential at a terminal", (*NEAR, "code", "own code", "apart"), ATTACK,
     "he passes the terminal's own code and the advert on: one session, one hash"),
    ("hand-over", "passkeys secret", ALL, PROVEN, "the digits of two sessions differ"),
]
# A link: what each theft gives, far and near. The attacker knows the identity's public key always.
_LINK = {
    (): (PROVEN,) * 10,
    ("link file",): (PROVEN,) * 5 + (PROVEN, ATTACK, PROVEN, ATTACK, ATTACK),
    ("identity key",): (PROVEN,) * 10,
    ("contact key",): (PROVEN,) * 10,
    ("link file", "identity key"): (PROVEN,) * 5 + (ATTACK,) * 5,
    ("root secret",): (PROVEN,) * 5 + (ATTACK,) * 5,
}
LINKED = ("linked request secret", "linked answer secret", "linked client agrees", "linked authenticator agrees", "linked near")
_WORDS = {
    (): "he has neither the link's secret nor the identity",
    ("link file",): "the secret makes him a client where he is near; to play the authenticator takes the identity key",
    ("identity key",): "the PSK takes the link's secret",
    ("contact key",): "it wakes nobody and opens nothing: it is good for registrations alone",
    ("link file", "identity key"): "both are all that a session takes, where he is near",
    ("root secret",): "it gives both, where he is near",
}
for _theft, _verdicts in _LINK.items():
    CLAIMS += [("link", name, (*(NEAR if index > 4 else ()), *_theft), verdict, _WORDS[_theft])
               for index, (name, verdict) in enumerate(zip(LINKED * 2, _verdicts))]
CLAIMS += [("link", f"linked {what} secret later", (*NEAR, f"{theft}, later"), PROVEN, "ee is left: forward secrecy")
           for theft in ("link file", "identity key", "root secret") for what in ("request", "answer")]

# The same queries with mechanisms left out: (mechanisms, system, property, attacker, verdict, reason).
VARIANTS = [
    ("psk se static-in-hash", "code", "request secret", NEAR, ATTACK,
     "with all three gone nothing of the code is needed; each alone is enough against who has not seen it"),
    ("psk", "code", "request secret", NEAR, PROVEN, "the client's public key is in the hash, and nobody but the phone has seen it"),
    ("psk", "code", "request secret", ("code", "own code"), ATTACK, "who has seen the code answers from afar"),
    ("advert-in-psk", "code", "request secret", ("code", "own code"), ATTACK, "who has seen the code answers from afar"),
    ("se", "code", "answer secret", ALL, ATTACK, "who has seen the code and is near asks in the client's place"),
    ("psk se static-in-hash", "code", "answer secret", NEAR, ATTACK, "as the request"),
    ("two-keys", "code", "client agrees", NEAR, ATTACK, "the client's own frame comes back to it"),
    ("counter", "code", "client agrees", NEAR, ATTACK, "the first message comes again as the answer"),
    ("frame-tag", "code", "client agrees", NEAR, ATTACK, "any bytes are taken"),
    ("psk", "code", "client agrees", ("code",), ATTACK, "who has seen the code answers from afar"),
    ("advert-in-psk", "code", "client agrees", ("code",), ATTACK, "who has seen the code answers from afar"),
    ("two-keys", "code", "client agrees", (*NEAR, "own code"), ATTACK, "the client's own frame comes back to it"),
    ("two-keys", "code", "client agrees on first message", NEAR, ATTACK, "the request comes back as the first message"),
    ("psk", "code", "client agrees on first message", ("code",), ATTACK, "who has seen the code answers from afar"),
    ("se", "code", "authenticator agrees", ALL, ATTACK, "who has seen the code and is near asks in the client's place"),
    ("frame-tag", "code", "authenticator agrees", ALL, ATTACK, "any bytes are taken"),
    ("psk", "code", "near", ("sends", "code", "own code"), ATTACK, "nothing of the advert is needed"),
    ("advert-in-psk", "code", "near", ("sends", "code", "own code"), ATTACK, "nothing of the advert is needed"),
    ("tag-1", "code", "near", ("sends", "code", "own code"), ATTACK, "message 2 goes to anybody; the frames are still closed to him"),
    ("tag-1", "code", "no answer for the attacker", ("sends", "code", "own code"), PROVEN, "without the PSK he has no traffic keys"),
    ("psk", "code", "no answer for the attacker", ("sends", "code", "own code"), ATTACK, "phishing from afar"),
    ("advert-in-psk", "code", "no answer for the attacker", ("sends", "code", "own code"), ATTACK, "phishing from afar"),
    ("se", "code", "no answer for the attacker", (*NEAR, "code"), ATTACK, "a seen code is then as good as a client"),
    ("advert-in-psk", "code", "no session apart", ("sends", "code", "own code", "apart"), ATTACK,
     "an advert of his own making leads to the authenticator"),
    ("ee se", "code", "request secret later", (*NEAR, "code, later"), ATTACK, "only the PSK is left, which the code and the advert give"),
    ("ee", "code", "request secret later", (*NEAR, "code, later"), PROVEN, "se is left"),
    ("ee se", "code", "answer secret later", (*NEAR, "code, later"), ATTACK, "only the PSK is left"),
    ("ee", "code", "request secret later", (*NEAR, "client key, later"), ATTACK, "se opens with the client's key"),
    ("ee", "code", "request secret later", ("client key, later",), PROVEN,
     "he has not heard the advert: it gives forward secrecy against whoever was far"),
    ("ee", "code", "answer secret later", (*NEAR, "client key, later"), ATTACK, "se opens with the client's key"),
    ("mac", "linking", "link binds", (*NEAR, "code"), ATTACK, "who answers the code names any public key"),
    ("hash-in-mac", "linking", "link binds", (*NEAR, "code"), PROVEN,
     "the MAC of another session is sealed for the client alone, and a client has a key of its own for each code"),
    ("hash-in-mac se", "linking", "link binds", (*NEAR, "code"), ATTACK, "then it is not, and the MAC of one session serves in another"),
    ("link-secret", "linking", "link secret", NEAR, ATTACK, "he guesses it"),
    ("yes-for-this", "approval", "what was approved", ALL, ATTACK, "the yes to one request answers another"),
    ("shown-is-answered", "approval", "what was approved", ALL, ATTACK, "the user is asked about something else"),
    ("proof", "registration", "registration", (), ATTACK, "anybody registers any key"),
    ("name-in-proof", "registration", "registration", (), ATTACK, "another service passes the challenge on"),
    ("challenge-in-proof", "registration", "registration", (), ATTACK, "an old registration is good for ever"),
    ("name-in-proof", "registration", "registration", ("identity key", "link file"), ATTACK, "another service passes the challenge on"),
    ("psk", "credential", "no relayed credential", ("sends", "code", "own code"), ATTACK, "phishing from afar"),
    ("origin", "credential, phishing page", "no relayed credential", ("own code",), ATTACK, "the page passes the answer on"),
    ("origin", "credential, phishing page, hash bound", "no relayed credential", ("own code",), ATTACK,
     "the hash does not replace the origin: the page passes both on"),
    ("hash-binding", "credential, terminal, hash bound", "no relayed credential at a terminal",
     (*NEAR, "code", "own code only", "apart"), ATTACK, "two sessions, with him between them"),
    ("compare", "hand-over", "passkeys secret", ALL, ATTACK, "he stands between the two, with a session to each"),
    ("hash-in-number", "hand-over", "passkeys secret", ALL, ATTACK, "he passes both numbers on, and the digits are equal"),
    ("secret-in-psk", "link", "linked client agrees", (*NEAR, "link file"), ATTACK, "the secret does not bind the session to the link"),
    ("es", "link", "linked request secret", (*NEAR, "link file"), ATTACK, "the link's secret is enough to play the authenticator"),
    ("ee", "link", "linked request secret later", (*NEAR, "root secret, later"), ATTACK, "es opens with the identity key"),
    ("secret-kept", "link", "linked request secret", (*NEAR, "identity key"), ATTACK, "the service has the secret then"),
    # Harmless by themselves: each is held by another mechanism, and what that costs is said here.
    ("advert-tag", "code", "client agrees", NEAR, PROVEN, "the client tries a PSK that nobody has: a lost session, nothing else"),
    ("advert-seal", "code", "client agrees", NEAR, PROVEN, "the PSK takes the secret too; the tunnel's place is seen by those near"),
    ("new-advert", "code", "authenticator agrees", ALL, PROVEN, "ephemeral keys are new; nearness is then shown once and for all"),
    ("purpose", "code", "client agrees", NEAR, PROVEN, "the service then knows the EID key; the PSK has another salt"),
    ("new-ephemeral", "code", "answer secret", ALL, PROVEN, "the advert is new, and the client's key serves one code"),
    ("key-of-each-code", "code", "authenticator agrees", ALL, PROVEN, "the secret is new; codes can be recognised by their key"),
    ("pattern-name", "code", "authenticator agrees", ALL, PROVEN, "the patterns differ in their agreements too"),
    ("prologue", "code", "authenticator agrees", ALL, PROVEN, "the name and the keys differ too"),
    ("static-in-hash", "code", "authenticator agrees", ALL, PROVEN, "se has it"),
    ("e-in-hash", "code", "client agrees", NEAR, PROVEN, "they are in the keys; the hash no longer names the session"),
    ("e-in-key", "code", "client agrees", NEAR, PROVEN, "ee has them"),
    ("point-check", "code", "answer secret", ALL, PROVEN,
     "one agreement that anybody can compute leaves the other; small steps towards the key by invalid curves are not modelled"),
    ("tag-2", "code", "client agrees", NEAR, PROVEN, "the first frame does not open then"),
    ("nonce-in-advert-key", "link", "linked client agrees", NEAR, PROVEN, "an old advert leads to a handshake that fails"),
    ("new-nonce", "link", "linked client agrees", NEAR, PROVEN, "the ephemeral keys are new"),
    ("hash-in-mac", "linking", "link secret", NEAR, PROVEN, "the MAC protects no secret"),
]
_SAME = {
    "linked request secret": ("psk es", "nothing of the link is needed"), "linked answer secret": ("psk", "nothing of the link is needed"),
    "linked client agrees": ("two-keys", "the client's own frame comes back to it"),
    "linked authenticator agrees": ("psk", "nothing of the link is needed"), "linked near": ("psk", "nothing of the advert is needed"),
    "linked request secret later": ("ee es psk", "no agreement and no secret is left"),
    "linked answer secret later": ("ee es psk", "no agreement and no secret is left"),
}
VARIANTS += [(_SAME[claim[1]][0], *claim[:3], ATTACK, _SAME[claim[1]][1]) for claim in CLAIMS
             if claim[0] == "link" and claim[3] == PROVEN and not any(claim[:3] == each[1:4] and each[4] == ATTACK for each in VARIANTS)]

# With --all: codes of any making by the attacker, which takes minutes each.
SLOW = [
    ("code", "client agrees", (*NEAR, "any code"), PROVEN, "as with a code of his own"),
    ("code", "authenticator agrees", (*NEAR, "code", "any code"), PROVEN, "as with a code of his own"),
    ("code", "near", ("sends", "code", "any code"), PROVEN, "as with a code of his own"),
    ("code", "no answer for the attacker", ("sends", "code", "any code"), PROVEN, "as with a code of his own"),
]

# Cryptographic rules of these articles that no variant leaves out, with the reason.
NOT_LEFT_OUT = {
    "form": ("HT-KEY-2 HT-ADV-1 HT-ADV-3 HT-ADV-4 HT-ADV-5 HT-ADV-8 HT-ADV-11 HT-ADV-12 HT-HS-5 HT-HS-6 HT-HS-13 HT-HS-21 HT-HS-22 "
             "HT-FRM-1 HT-FRM-3 HT-FRM-4 HT-FRM-5 HT-FRM-6 HT-FRM-13 HT-FRM-17 HT-FRM-26 HT-LNK-2 HT-LNK-3 HT-LNK-4 HT-LNK-5 HT-LNK-7 "
             "HT-LNK-20 HT-LNK-21 HT-LNK-22 HT-LNK-23 HT-LNK-24 HT-LNK-25 HT-LNK-27 HT-LNK-28 HT-LNK-40 HT-STA-1 HT-STA-2 HT-STA-4 "
             "HT-STA-5 HT-STA-15 HT-STA-17 HT-STA-19 HT-STA-22 HT-STA-23 HT-STA-44 HT-STA-45 HT-STA-46 HT-STA-49",
             "a form of bytes: terms have no bytes"),
    "bearing": ("HT-ADV-16 HT-ADV-17 HT-ADV-19 HT-ADV-20 HT-ADV-22 HT-ADV-25 HT-ADV-26 HT-ADV-29 HT-ADV-30 HT-ADV-32",
                "how adverts are sent and received: the attacker may send any"),
    "choice": ("HT-ADV-13 HT-ADV-14 HT-ADV-15 HT-ADV-21 HT-ADV-35 HT-ADV-36 HT-LNK-36 HT-LNK-37 HT-LNK-38 HT-LNK-39 HT-STA-8 HT-STA-9 HT-STA-10 "
               "HT-STA-12 HT-STA-28 HT-STA-34", "an order, or a choice among what is good: see the models for Spin"),
    "role": ("HT-HS-10 HT-HS-24 HT-STA-16 HT-STA-31 HT-STA-41", "the role has no other step: without it there is no such session"),
}
