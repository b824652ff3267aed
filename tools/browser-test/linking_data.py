"""Chromium as a judge of linking data: with the feature DigitalCredentialsHybridLinking it offers to be linked where a page asks for a
digital credential, and verifies what a phone's first message brings. It keeps nothing so far; the case says so if it begins to."""
import json
import pathlib
import sys

import browser as browsers
import context as contexts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "vectors"))

import phone  # noqa: E402
from reference import secrets  # noqa: E402

FEATURE = "DigitalCredentialsHybridLinking"
CONTACT_ID, LINK_ID, SECRET, PUBLIC_KEY, NAME, SIGNATURE = range(1, 7)
GOES_ON, ENDS = "goes on", "ends"
REFUSED = "invalid linking data in caBLE post-handshake message"


def right(session):
    """Linking data without a fault."""
    return session.map()


def changed(key, change):
    """Linking data with one value changed; None takes it out."""
    def make(session):
        fields = session.map()
        fields[key] = change(fields.get(key))
        return {number: value for number, value in fields.items() if value is not None}
    return make


def resized(key, count):
    """A value of another length, of the bytes that it has."""
    return changed(key, lambda value: (value * 2)[:count])


def flipped(value):
    """A signature with its last bit changed."""
    return value[:-1] + bytes([value[-1] ^ 1])


def of_other_session(session):
    """Signed for another handshake hash."""
    return phone.Session(session.client, flipped(session.hash)).map()


# What is sent under key 2 of the first message, and what Chromium 156 does. It was seen to treat the fields that are not here alike: each
# session takes a second.
TABLE = {
    "right": (right, GOES_ON),
    "signature with one bit changed": (changed(SIGNATURE, flipped), ENDS),
    "signature for another session": (of_other_session, ENDS),
    "no contact ID": (changed(CONTACT_ID, lambda _: None), ENDS),
    "no name": (changed(NAME, lambda _: None), ENDS),
    "no signature": (changed(SIGNATURE, lambda _: None), ENDS),
    "contact ID as text": (changed(CONTACT_ID, lambda _: "text"), ENDS),
    "name as bytes": (changed(NAME, str.encode), ENDS),
    "public key compressed": (changed(PUBLIC_KEY, lambda value: bytes([2 + value[-1] % 2]) + value[1:33]), ENDS),
    "public key off the curve": (changed(PUBLIC_KEY, flipped), ENDS),
    "signature of 31 bytes": (resized(SIGNATURE, 31), ENDS),
    "no map": (lambda _: [1], ENDS),
    "key 7 beside": (changed(7, lambda _: b"future"), GOES_ON),
    "contact ID empty": (resized(CONTACT_ID, 0), GOES_ON),
    "link ID of 9 bytes": (resized(LINK_ID, 9), GOES_ON),
    "secret of 31 bytes": (resized(SECRET, 31), GOES_ON),
}


def hint(code):
    """The hint of a QR code."""
    return secrets.parse_url(code)["hint"]


def session(context, ask, **linking_data):
    """One session; returns the phone, and what Chromium did."""
    since = context.browser.log_length()
    code, _ = ask(context)
    partner = phone.Phone(context, code)
    try:
        if not partner.serve(**linking_data):
            return partner, ENDS if context.browser.logged(REFUSED, since) else "ends for another reason"
        if partner.gives_credentials:
            browsers.until(lambda: context.browser.value("outcome !== null"), "the page's result")
            return partner, GOES_ON if context.browser.value("'answer' in outcome") else ENDS
        return partner, GOES_ON
    finally:
        partner.end()
        context.clear()


def ask_for_passkey(context):
    """Has the page ask for a passkey."""
    return context.ask("create", context.site.creation("linking")[0])


def run(without, ask):
    """The table, in a Chromium with the feature; `without` is the context of one that has it not. `ask` has a page ask for a digital
    credential. Returns what was seen; fails with every difference."""
    differences = []

    def compare(name, wanted, seen):
        if wanted != seen:
            differences.append(f"{name}: {seen}, not {wanted}")
    wrong = TABLE["signature with one bit changed"][0]
    partner, seen = session(without, ask, in_first_message=wrong)
    compare("without the feature, key 4", False, partner.offers_linking)
    compare("without the feature, wrong linking data", ENDS, seen)
    compare("for a passkey, wrong linking data", ENDS, session(
        without, ask_for_passkey, in_first_message=wrong)[1])
    folder = without.folder / "linking"
    folder.mkdir()
    with contexts.TestContext(without.program, folder, features=[FEATURE]) as context:
        for name, (make, wanted) in TABLE.items():
            partner, seen = session(context, ask, in_first_message=make)
            compare(name, wanted, seen)
            compare(f"{name}, key 4", True, partner.offers_linking)
        compare("wrong in an update", GOES_ON, session(context, ask, in_update=wrong)[1])
        profile = context.browser.profile
    # Chromium writes them when it ends, at the latest.
    preferences = json.loads((profile / "Default" / "Preferences").read_text())
    compare("links that are kept", None, preferences.get("webauthn", {}).get("cablev2_pairings"))
    if differences:
        raise AssertionError("; ".join(differences))
    goes_on = sum(wanted == GOES_ON for _, wanted in TABLE.values())
    return f"of {len(TABLE)} kinds of linking data {goes_on} are taken and {len(TABLE) - goes_on} refused; none is kept"
