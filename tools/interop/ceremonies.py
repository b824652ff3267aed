"""Ceremonies between our roles and the peers in Python. Each yields the name of what has succeeded."""

from programs import PYTHON, RELAY, SITE, Place, Program

CODE = r"(FIDO:/\d+)"
CREDENTIAL = r'"vp": ?"interop"'


def our_client(place):
    """Our client and the authenticator in Python: a link, registrations and sign-ins, a digital credential."""
    answering = ("--credentials", "credentials.json", "--link", "link.json")
    named = ("--rp-id", SITE, "--state", "state.json")
    linking = ("--user", "bob", "--attestation", "direct", "--link", "--qr", "url")
    with place.client("register", *named, *linking) as client:
        with place.python("authenticator", client.find(CODE), *answering) as authenticator:
            authenticator.succeed("served registration")
        client.succeed(r'linked with "Python"')
        client.succeed("verified; attestation")
    yield "registration, and a link"
    with place.client("sign-in", *named, "--qr", "url") as client:
        with place.python("authenticator", client.find(CODE), *answering[:2]) as authenticator:
            authenticator.succeed("served sign-in")
        client.succeed('as "bob"; verified')
    yield "sign-in"
    with place.python("authenticator", "listen", *answering) as authenticator:
        authenticator.find("listening()")
        with place.client("sign-in", *named, "--linked-only") as client:
            client.succeed('as "bob"; verified')
        authenticator.find("served sign-in()")
        yield "sign-in, linked"
        with place.client("register", *named, "--user", "eve", "--linked-only") as client:
            client.succeed("verified")
        authenticator.find("served registration()")
        yield "registration, linked"
    asking = ("digital-credential", "--origin", f"https://{SITE}", "--request", "request.json", "--qr", "url")
    with place.client(*asking) as client:
        with place.python("authenticator", client.find(CODE), "--json", "answer.json") as authenticator:
            authenticator.succeed("served credential")
        client.succeed(CREDENTIAL)
    yield "digital credential"


def our_authenticator(place):
    """Our authenticator and the client in Python: the same."""
    keeping = ("--passkey", "passkey.json", "--link", "link.json")
    with place.python("client", *keeping) as client:
        linking = ("--link", "yes", "--link-name", "Python", "--store", "passkeys")
        with place.authenticator("answer", client.find(CODE), *linking) as authenticator:
            authenticator.succeed('linked "Python"')
        client.succeed("verified packed")
    yield "registration, and a link"
    with place.python("client", *keeping[:2]) as client:
        with place.authenticator("answer", client.find(CODE), "--store", "passkeys", "--link", "no") as authenticator:
            authenticator.succeed("signed in to")
        client.succeed("verified assertion")
    yield "sign-in"
    with place.authenticator("listen", "--store", "passkeys") as authenticator:
        authenticator.find("reachable for ()1 linked client")
        with place.python("client", *keeping) as client:
            client.succeed("verified assertion")
            client.succeed("without a code")
        yield "sign-in, linked"
        with place.python("client", *keeping[2:]) as client:
            client.succeed("verified packed")
            client.succeed("without a code")
        yield "registration, linked"
    with place.python("client", "--json", "asked.json") as client:
        handling = ("--no-passkeys", "--credential-handler", "./wallet", "--ephemeral", "--link", "no")
        with place.authenticator("answer", client.find(CODE), *handling):
            client.succeed(CREDENTIAL)
    yield "digital credential"


def our_service(place):
    """Our tunnel service between two ends in Python."""
    keeping = ("--passkey", "passkey.json", "--link", "link.json")
    answering = ("--credentials", "all.json", "--link", "given.json")
    with place.python("client", *keeping) as client:
        with place.python("authenticator", client.find(CODE), *answering) as authenticator:
            authenticator.succeed("served registration")
        client.succeed("verified packed")
    yield "registration, and a link"
    with place.python("authenticator", "listen", *answering) as authenticator:
        authenticator.find("listening()")
        with place.python("client", *keeping) as client:
            client.succeed("verified assertion")
    yield "sign-in, linked"


def python_relay(place):
    """Our client and our authenticator through the relay in Python."""
    with Program(place.folder, *RELAY) as relay:
        place = Place(place.folder, f"ws://127.0.0.1:{relay.find('^([0-9]+)$')}")
        named = ("--rp-id", SITE, "--state", "state.json", "--qr", "url")
        for ceremony, done in ((("register", "--user", "bob"), "verified"), (("sign-in",), 'as "bob"; verified')):
            with place.client(*ceremony, *named) as client:
                answering = ("--store", "passkeys", "--link", "no")
                with place.authenticator("answer", client.find(CODE), *answering) as authenticator:
                    authenticator.succeed(" as ")
                client.succeed(done)
            yield ceremony[0]
