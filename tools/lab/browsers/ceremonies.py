"""What a browser does with a security key: registrations and sign-ins of a site, which python-fido2 verifies."""
import json
import time


def ask(browser, kind, options, shown):
    """Has the page ask the browser; returns the credential, or the error's name. What the browser shows meanwhile is noted."""
    options["timeout"] = 600_000
    browser.value(f"run({json.dumps(kind)}, {json.dumps(options)})")
    until = time.monotonic() + 660
    while not (outcome := browser.value("outcome")):
        for text in browser.shown():
            if text not in shown:
                shown.append(text)
        if time.monotonic() > until:
            raise AssertionError("the page heard nothing")
        time.sleep(0.5)
    return outcome.get("answer") or outcome["error"]


def register(browser, site, shown, user="alice", **choices):
    options, state = site.creation(user, **choices)
    answer = ask(browser, "create", options, shown)
    assert isinstance(answer, dict), answer
    return site.created(state, answer)


def sign_in(browser, site, shown, **choices):
    options, state = site.request(**choices)
    answer = ask(browser, "get", options, shown)
    assert isinstance(answer, dict), answer
    return site.signed_in(state, answer)


def register_plain(browser, site, shown):
    register(browser, site, shown, discoverable="discouraged", verification="discouraged")


def sign_in_plain(browser, site, shown):
    sign_in(browser, site, shown, allow=site.credentials[-1:], verification="discouraged")


def register_passkey(browser, site, shown):
    register(browser, site, shown, user="bob")


def sign_in_by_name(browser, site, shown):
    sign_in(browser, site, shown, allow=site.credentials[-1:])


def sign_in_without_name(browser, site, shown):
    sign_in(browser, site, shown)


def sign_in_by_two_names(browser, site, shown):
    sign_in(browser, site, shown, allow=site.credentials[-2:])


def register_excluded(browser, site, shown):
    options, _ = site.creation("bob", exclude=site.credentials[-1:])
    answer = ask(browser, "create", options, shown)
    assert answer == "InvalidStateError", answer


CASES = {case.__name__.replace("_", "-"): case for case in (
    register_plain, sign_in_plain, register_passkey, sign_in_by_name, sign_in_without_name, sign_in_by_two_names,
    register_excluded)}
