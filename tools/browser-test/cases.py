"""The cases beyond the row of ceremonies; each returns what the page saw and our side said."""
import json
import os
import pathlib
import subprocess
import time

import adapters
import browser as browsers
import linking_data as linking
import person as people

CASES = {}
VAULT_LOCKED = 20
# CTAP2_ERR_PIN_NOT_SET.
PIN_NOT_SET = 0x35
MANY_BYTES = 300_000
# Chromium 156 carries requests of 130,000 bytes, and none of 200,000.
CARRIED_BYTES = 120_000
SETTLING_SECONDS = 5
# The log is ahead of the screen by less.
CLICK_SECONDS = 0.5
# Of a command that derives two keys of passphrases.
TIMEOUT = 60


def case(function):
    """Registers a case under its name."""
    CASES[function.__name__.replace("_", "-")] = function
    return function


def check(truth, complaint):
    """Fails the case unless something is true."""
    if not truth:
        raise AssertionError(complaint)


def last_error(events):
    """What our side said last, in a word or two."""
    errors = [event for event in events if event["event"] == "error"]
    return f"{errors[-1]['code']} before {errors[-1].get('stage', 'the start')}" if errors else "no error"


@case
def not_discoverable(context):
    """A passkey that has to be named."""
    options, state = context.site.creation("named", discoverable="discouraged")
    since = context.browser.log_length()
    context.request("create", options)
    # Chromium goes straight to the QR code only where the site asks for a discoverable passkey.
    browsers.until(lambda: context.browser.logged("UI step: kMechanismSelection", since), "the choice of a device")

    def chosen():
        context.browser.click(*context.browser.PHONE_OR_TABLET)
        time.sleep(CLICK_SECONDS)
        return context.browser.logged("UI step: kCableV2QRCode", since)
    browsers.until(chosen, "the choice to be taken")
    made = context.outcome(context.answer(context.shown_code()))
    check(made.answer is not None, f"the page saw {made.error}")
    credential = context.site.created(state, made.answer)
    used, _ = context.sign_in(allow=[credential])
    check(used.credential_id == credential.credential_id, "another passkey signed")
    return "made, and found when it was named"


@case
def allow_list(context):
    """The site names one of two."""
    first, _ = context.register("first")
    context.register("second")
    used, _ = context.sign_in(allow=[first])
    check(used.credential_id == first.credential_id, "a passkey that was not allowed signed")
    return "the one that was named signed"


@case
def exclude_list(context):
    """The site has a passkey of ours already."""
    credential, _ = context.register("excluded")
    options, _ = context.site.creation("excluded again", exclude=[credential])
    outcome = context.ceremony("create", options)
    check(outcome.error == "InvalidStateError", f"the page saw {outcome.seen()}")
    return outcome.seen()


@case
def two_accounts(context):
    """Somebody chooses the account at the authenticator."""
    context.register_in_person("one of two")
    context.register_in_person("two of two")
    person, state = context.ask_in_person("which account")
    person.types(next(line.split(":")[0].strip() for line in person.read.splitlines() if '"one of two"' in line))
    person.verifies()
    outcome = context.outcome(person.process)
    check(outcome.answer is not None, f"the page saw {outcome.error}")
    context.site.signed_in(state, outcome.answer)
    check(outcome.answer["response"]["userHandle"] == "b25lIG9mIHR3bw", "another account signed in")
    return "the account that was chosen signed in"


@case
def prf(context):
    """The same output twice, another for another salt, on create and on get."""
    def salts(*values):
        return {"prf": {"eval": dict(zip(("first", "second"), values))}}
    options, state = context.site.creation("prf", extensions=salts("YQ"))
    made = context.ceremony("create", options)
    check(made.answer is not None, f"the page saw {made.error}")
    credential = context.site.created(state, made.answer)
    at_creation = made.answer["clientExtensionResults"].get("prf", {})
    check(at_creation.get("enabled"), f"on create the page saw {at_creation}")

    def outputs(*values):
        _, outcome = context.sign_in(allow=[credential], extensions=salts(*values))
        return outcome.answer["clientExtensionResults"].get("prf", {}).get("results", {})
    once, again, both = outputs("YQ"), outputs("YQ"), outputs("Yg", "YQ")
    check(once.get("first") and once == again, f"two times the same salt: {once}, {again}")
    check(both.get("second") == once["first"] and both.get("first") != once["first"], f"another salt: {both}")
    check(at_creation.get("results", once) == once, f"on create the output was {at_creation}")
    return f"enabled; the same output twice, another for another salt; on create {sorted(at_creation)}"


@case
def large_blob(context):
    """Written in one sign-in, read in the next."""
    options, state = context.site.creation("blob", extensions={"largeBlob": {"support": "required"}})
    made = context.ceremony("create", options)
    check(made.answer is not None, f"the page saw {made.error}")
    credential = context.site.created(state, made.answer)
    check(made.answer["clientExtensionResults"]["largeBlob"].get("supported"), "not supported")
    _, written = context.sign_in(allow=[credential], extensions={"largeBlob": {"write": "YmxvYg"}})
    check(written.answer["clientExtensionResults"]["largeBlob"].get("written"), "not written")
    _, read = context.sign_in(allow=[credential], extensions={"largeBlob": {"read": True}})
    blob = read.answer["clientExtensionResults"]["largeBlob"].get("blob")
    check(blob == "YmxvYg", f"read {blob}")
    return "supported, written, read again"


@case
def algorithms(context):
    """EdDSA and RS256 where the site asks for them first."""
    for first in (-8, -257):
        credential, _ = context.register(f"algorithm {first}", algorithms=(first, -7))
        check(credential.public_key[3] == first, f"the key is of {credential.public_key[3]}")
        context.sign_in(allow=[credential])
    return "EdDSA and RS256 verified"


@case
def no_algorithm(context):
    """The site wants an algorithm that is not here: Chromium asks for a touch by a registration of its own, which makes nothing."""
    options, _ = context.site.creation("no algorithm", algorithms=(-36,))
    code, since = context.ask("create", options)
    store = context.folder / "no-algorithm"
    outcome = context.outcome(context.answer(code, store=["--store", str(store)]), since)
    check(outcome.answer is None, "a key of an algorithm that nobody asked for")
    answers = [event["ctap_status"] for event in outcome.events if event.get("ctap_status")]
    check(answers == [PIN_NOT_SET], f"our side said {outcome.events[-2:]}")
    check(not store.exists() or b"dummy" not in store.read_bytes(), "a passkey was made")
    return f"{outcome.seen()}, after a touch"


@case
def declined(context):
    """Somebody says no."""
    context.register_in_person("declining")
    person, _ = context.ask_in_person("?")
    person.types("n")
    outcome = context.outcome(person.process)
    check(outcome.error == "NotAllowedError", f"the page saw {outcome.seen()}")
    return outcome.seen()


@case
def wrong_passphrase(context):
    """The vault stays locked: the page waits, and the next try with the same code is the right one."""
    store = ["--vault", str(context.folder / "vault"), "--passphrase-file"]
    for name in ("right", "wrong"):
        (context.folder / name).write_text(f"{name} passphrase\n")
        (context.folder / name).chmod(0o600)
    right, wrong = ([*store, str(context.folder / name)] for name in ("right", "wrong"))

    def approve(code):
        person = context.answer_in_person(code, right)
        person.waits_for("approve?")
        person.types("y")
        # A passphrase from a file verifies nobody.
        person.verifies("right passphrase")
        return context.outcome(person.process)
    options, state = context.site.creation("in the vault")
    outcome = approve(context.ask("create", options)[0])
    check(outcome.answer is not None, f"the page saw {outcome.error}")
    credential = context.site.created(state, outcome.answer)
    options, state = context.site.request(allow=[credential])
    code, _ = context.ask("get", options)
    refused = context.answer_in_person(code, wrong).process
    events = context.end_of(refused)
    check(refused.returncode == VAULT_LOCKED, f"our side ended with {refused.returncode}: {events[-1:]}")
    outcome = approve(code)
    check(outcome.answer is not None, f"then the page saw {outcome.error}")
    context.site.signed_in(state, outcome.answer)
    return f"our side {events[-1]['code']}, and with the right one a credential"


@case
def moved(context):
    """A passkey that went through each format, from one vault to another, signs in."""
    secret = context.folder / "moving"
    secret.write_text(f"{people.PASSPHRASE}\n")
    secret.chmod(0o600)

    def store(name):
        return ["--vault", str(context.folder / f"{name}.vault"), "--passphrase-file", str(secret)]

    def approve(code):
        person = context.answer_in_person(code, store(where))
        person.waits_for("approve?")
        person.types("y")
        person.verifies()
        return context.outcome(person.process)
    where = "moving"
    options, state = context.site.creation("moving")
    made = approve(context.ask("create", options)[0])
    check(made.answer is not None, f"the page saw {made.error}")
    credential = context.site.created(state, made.answer)
    formats = ("hybrid", "cxf", "kdbx", "keepass-xml", "keepassxc-passkey", "bitwarden")
    for where in formats:
        file = str(context.folder / f"moving.{where}")
        encrypted = ["--export-passphrase-file", str(secret)]
        person = people.Person([context.program, "passkeys", "export", "--format", where, file, "--verify", "passphrase",
                                *encrypted, *store("moving")])
        if where not in ("hybrid", "kdbx"):
            person.waits_for("approve?")
            person.types("y")
            person.verifies()
        said, _ = person.process.communicate(timeout=TIMEOUT)
        check(person.process.returncode == 0, f"the export as {where} ended with {person.process.returncode}: {said}")
        subprocess.run([context.program, "passkeys", "import", file, *encrypted, *store(where)], check=True)
        options, state = context.site.request(allow=[credential])
        used = approve(context.ask("get", options)[0])
        check(used.answer is not None, f"with {where} the page saw {used.error}")
        signed = context.site.signed_in(state, used.answer)
        check(signed.credential_id == credential.credential_id, f"with {where} another passkey signed")
    return f"signed in after {', '.join(formats)}"


@case
def user_verification(context):
    """Required, preferred, discouraged."""
    seen = []
    for value in ("required", "preferred", "discouraged"):
        credential, _ = context.register(f"verification {value}", verification=value)
        context.sign_in(allow=[credential], verification=value)
        seen.append(value)
    return f"verified: {', '.join(seen)}"


@case
def presence_only(context):
    """Without user verification Chromium goes no further, whatever the site wants, and has no passkey made."""
    options, _ = context.site.creation("presence", verification="discouraged")
    code, since = context.ask("create", options)
    store = context.folder / "presence"
    person = context.answer_in_person(code, ["--store", str(store)], ["--presence-only"])
    person.waits_for("[y/n]")
    check("Use this machine as the authenticator?" in person.read, f"the person was asked {person.read[-300:]!r}")
    person.types("y")
    outcome = context.outcome(person.process, since)
    check(outcome.answer is None, "the page saw a credential")
    return f"{outcome.seen()}, after authenticatorSelection"


@case
def verified_by_polkit(context):
    """The desktop's dialogue verifies somebody who has no terminal, for a site that requires it."""
    credential, _ = context.register("polkit")
    options, state = context.site.request(allow=[credential])
    with context.system_bus("polkit") as bus:
        code, since = context.ask("get", options)
        outcome = context.outcome(context.answer(code, options=["--verify", "polkit"], bus=bus), since)
    check(outcome.answer is not None, f"the page saw {outcome.error}; our side said {outcome.events[-1:]}")
    context.site.signed_in(state, outcome.answer)
    return "signed in, verified"


@case
def verified_by_fprintd(context):
    """A finger verifies, after a yes at the terminal, for a site that requires it."""
    credential, _ = context.register("fprintd")
    options, state = context.site.request(allow=[credential])
    with context.system_bus("match") as bus:
        code, since = context.ask("get", options)
        person = context.answer_in_person(code, options=["--verify", "fprintd"], bus=bus)
        person.waits_for("[y/n]")
        person.types("y")
        outcome = context.outcome(person.process, since)
    check(outcome.answer is not None, f"the page saw {outcome.error}; our side said {outcome.events[-1:]}")
    context.site.signed_in(state, outcome.answer)
    return "signed in, verified"


@case
def bare_yes(context):
    """A yes at the terminal, which is presence alone, for a site that requires verification, and for one that does not."""
    credential, _ = context.register("bare yes")

    def say_yes(verification):
        options, state = context.site.request(allow=[credential], verification=verification)
        code, since = context.ask("get", options)
        person = context.answer_in_person(code, options=["--presence-only", "--timeout", "20"])
        return person, state, since
    person, _, _ = say_yes("required")
    browsers.until(lambda: person.process.poll() is not None, "the end of a session without verification")
    events = context.end_of(person.process)
    if context.browser.value("outcome === null"):
        context.cancel()
    seen = json.loads(context.browser.value("JSON.stringify(outcome)"))
    check("answer" not in seen, "a site that requires verification was signed in to")
    person, state, since = say_yes("discouraged")
    person.waits_for("[y/n]")
    person.types("y")
    outcome = context.outcome(person.process, since)
    check(outcome.answer is not None, f"without verification required the page saw {outcome.error}")
    context.site.signed_in(state, outcome.answer)
    return f"required: {seen['error']}, our side {last_error(events)}; discouraged: signed in"


@case
def attestation(context):
    """None and direct."""
    for value in ("none", "direct"):
        context.register(f"attestation {value}", attestation=value)
    return "none and direct verified"


@case
def enormous(context):
    """A challenge of 300 kB, a user name of 120 kB, and one of 300 kB, which Chromium does not get through its own pipe."""
    context.register("enormous challenge", challenge=os.urandom(MANY_BYTES))

    def named(count):
        options, state = context.site.creation("enormous name")
        options["user"]["name"] = "n" * count
        return options, state
    options, state = named(CARRIED_BYTES)
    outcome = context.ceremony("create", options)
    check(outcome.answer is not None, f"for a name of {CARRIED_BYTES} bytes the page saw {outcome.error}")
    context.site.created(state, outcome.answer)
    since = context.browser.log_length()
    code, _ = context.ask("create", named(MANY_BYTES)[0])
    # Nothing but its idle time ends it.
    process = context.answer(code, options=["--yes", "--timeout", "20"])
    browsers.until(lambda: context.browser.logged("kAuthenticatorMakeCredential", since), "Chromium's request")
    time.sleep(SETTLING_SECONDS)
    if context.browser.value("outcome === null"):
        context.cancel()
    events = context.end_of(process)
    check(process.returncode != 0 or context.browser.value("'answer' in outcome"), "our side took it for a success")
    seen = context.browser.value("outcome.error") or "a credential"
    return f"challenge and the shorter name: a credential; the longer one: {seen}, our side {last_error(events)}"


@case
def browser_cancels(context):
    """The page gives up while somebody is asked."""
    context.register_in_person("cancelling")
    person, _ = context.ask_in_person("Sign in with")
    context.cancel()
    events = context.end_of(person.process)
    check(person.process.returncode != 0, "our side took it for a success")
    return f"{json.loads(context.browser.value('JSON.stringify(outcome)'))['error']}, our side {last_error(events)}"


@case
def tunnel_service_dies(context):
    """The relay ends while somebody is asked."""
    context.register("left alone")
    context.register_in_person("left alone as well")
    person, _ = context.ask_in_person("Sign in with")
    context.service.kill()
    events = context.end_of(person.process)
    check(person.process.returncode != 0, "our side took it for a success")
    context.service.start()
    context.cancel()
    context.sign_in()
    return f"our side {last_error(events)}; the next ceremony succeeded"


@case
def advert_on_the_air(context):
    """btmon sees the advert come, and go when the handshake begins."""
    _, outcome = context.register("on the air")
    return adapters.span_of_last_advert(context.folder, context.AUTHENTICATOR_ADAPTER, outcome)


@case
def bluetooth_off_and_on(context):
    """Each adapter is switched off in the middle, and on again."""
    options, _ = context.site.creation("off and on")
    code, _ = context.ask("create", options)
    adapters.power(context.BROWSER_ADAPTER, False)
    browsers.until(lambda: context.browser.logged("Adapter powered off"), "Chromium to notice")
    process = context.answer(code)
    adapters.wait_for_advert(process)
    adapters.power(context.AUTHENTICATOR_ADAPTER, False)
    events = context.end_of(process)
    check("powered off" in events[-1]["cause"], f"our side said {events[-1]}")
    for adapter in (context.AUTHENTICATOR_ADAPTER, context.BROWSER_ADAPTER):
        adapters.power(adapter, True)
    code = context.shown_code(is_new=False)
    outcome = context.outcome(context.answer(code))
    check(outcome.answer is not None, f"afterwards the page saw {outcome.error}")
    return f"our side: {events[-1]['cause']}; switched on again, the browser showed its code again and it succeeded"


AGE_QUERY = {"requests": [{"protocol": "openid4vp-v1-unsigned", "data": {
    "response_type": "vp_token", "response_mode": "dc_api", "nonce": "n-0S6_WzA2Mj", "dcql_query": {"credentials": [{
        "id": "mdl", "format": "mso_mdoc", "meta": {"doctype_value": "org.iso.18013.5.1.mDL"},
        # Chromium asks nobody before it shows the QR code where an age is all that a site wants.
        "claims": [{"path": ["org.iso.18013.5.1", "age_over_21"]}]}]}}}]}


def handler(context, text):
    """A handler program with a text of its own."""
    path = context.folder / "handler"
    path.write_text(text)
    path.chmod(0o755)
    return path


@case
def digital_credential(context):
    """The page asks for a digital credential, which the example handler makes up."""
    code, since = context.ask_for_credential("get", AGE_QUERY)
    example = pathlib.Path(os.environ["HANDLER"])
    outcome = context.outcome(context.answer_with_handler(code, example), since)
    check(outcome.answer is not None, f"the page saw {outcome.error}; our side said {outcome.events[-1:]}")
    check(outcome.answer["protocol"] == "openid4vp-v1-unsigned", f"the page got {outcome.answer}")
    check(outcome.answer["data"]["vp_token"]["mdl"][0].startswith("MADE-UP"), f"the page got {outcome.answer}")
    return f"the page got {json.dumps(outcome.answer)}"


@case
def digital_credential_request(context):
    """What the handler gets of Chromium, and what the page sees when there is no credential."""
    code, _ = context.ask_for_credential("get", AGE_QUERY)
    recorded = context.folder / "credential-request.json"
    outcome = context.outcome(context.answer_with_handler(code, handler(
        context, f"#!/bin/sh\ncat > {recorded}\necho '{{\"response\":{{\"digital\":{{\"error\":\"NO_CREDENTIAL\"}}}}}}'\n")))
    request = json.loads(recorded.read_text())
    check(request == {"origin": context.site.origin, "requestType": "credential.get", "request": {"digital": AGE_QUERY}},
          f"the handler got {request}")
    check(outcome.answer is None, "the page saw a credential")
    return f"{outcome.seen()} for NO_CREDENTIAL"


@case
def linking_data(context):
    """A phone that is not ours offers links, right and wrong ones, to a Chromium that takes them."""
    return linking.run(context, lambda asking: asking.ask_for_credential("get", AGE_QUERY))


ISSUANCE = {"requests": [{"protocol": "openid4vci-v1", "data": {
    "credential_issuer": "https://issuer.example", "credential_configuration_ids": ["org.iso.18013.5.1.mDL"],
    "grants": {"urn:ietf:params:oauth:grant-type:pre-authorized_code": {"pre-authorized_code": "n-0S6_WzA2Mj"}}}}]}
# What the page sees of each error that a handler can name.
REFUSALS = {"NO_CREDENTIAL": "NotAllowedError", "USER_CANCELED": "NotAllowedError", "DEVICE_ABORTED": "AbortError"}


def recorder(context, answer):
    """A handler that keeps what it gets, and writes an answer; and where it keeps it."""
    recorded = context.folder / "credential-request.json"
    return handler(context, f"#!/bin/sh\ncat > {recorded}\necho '{answer}'\n"), recorded


@case
def digital_credential_issuance(context):
    """A site gives a credential: what the handler gets of Chromium, and the page of the handler."""
    code, since = context.ask_for_credential("create", ISSUANCE)
    check(linking.hint(code) == "dci", f"the hint is {linking.hint(code)}")
    program, recorded = recorder(context, '{"response":{"digital":{"data":{"protocol":"openid4vci-v1","data":{"taken":true}}}}}')
    outcome = context.outcome(context.answer_with_handler(code, program), since)
    request = json.loads(recorded.read_text())
    check(request == {"origin": context.site.origin, "requestType": "credential.create", "request": {"digital": ISSUANCE}},
          f"the handler got {request}")
    check(outcome.answer == {"protocol": "openid4vci-v1", "data": {"taken": True}},
          f"the page saw {outcome.error or outcome.answer}; our side said {outcome.events[-1:]}")
    return f"the page got {json.dumps(outcome.answer)}"


@case
def digital_credential_issuance_refused(context):
    """The example handler takes no credential, the user refuses in another, and a third fails."""
    seen = {}
    for name, program in (
            ("NO_CREDENTIAL", lambda: pathlib.Path(os.environ["HANDLER"])),
            ("USER_CANCELED", lambda: recorder(context, '{"response":{"digital":{"error":"USER_CANCELED"}}}')[0]),
            ("DEVICE_ABORTED", lambda: handler(context, "#!/bin/sh\nexit 1\n"))):
        code, _ = context.ask_for_credential("create", ISSUANCE)
        outcome = context.outcome(context.answer_with_handler(code, program()))
        check(outcome.answer is None, f"the page got {outcome.answer}")
        seen[name] = outcome.error
    check(seen == REFUSALS, f"the page saw {seen}")
    return ", ".join(f"{error} for {name}" for name, error in seen.items())
