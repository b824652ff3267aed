"""Captures the requests of page_requests.py: as Chromium's extension hands them over, and what Chromium answers itself, with its virtual
authenticator. Prints them as JSON, the data of Tests/WebAuthnClientTests/ChromiumRequestTests.swift. The IDs are others each time."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lab"), str(HERE.parent / "browser-test")]

import browser as browsers  # noqa: E402
import page_requests  # noqa: E402
import relying_party  # noqa: E402

VIRTUAL = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "cable", "hasResidentKey": True, "hasUserVerification": True,
           "isUserVerified": True, "hasLargeBlob": True, "hasPrf": True, "hasMinPinLength": True,
           "defaultBackupEligibility": True, "defaultBackupState": True}
LESS = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "cable"}
# In place of our native-messaging host: keeps a request, and refuses it.
RECORDER = """#!/usr/bin/python3 -B
import struct, sys
length = sys.stdin.buffer.read(4)
with open({file!r}, "ab") as kept:
    kept.write(sys.stdin.buffer.read(struct.unpack("<I", length)[0]) + b"\\n")
answer = b'{{"error":{{"name":"NotAllowedError","message":"kept"}}}}'
sys.stdout.buffer.write(struct.pack("<I", len(answer)) + answer)
"""


def settled(browser, kind, options):
    browser.value(f"""(() => {{ try {{ run({json.dumps(kind)}, {json.dumps(options)}) }}
        catch (error) {{ outcome = {{ error: error.name, message: error.message }} }} }})()""")
    return browsers.until(lambda: json.loads(browser.value("JSON.stringify(outcome)")), "the page's result")


def attached(browser, request):
    """Waits until the extension takes requests: before, Chromium asks on its own screen, and nobody answers."""
    for _ in range(30):
        browser.value(f"run({json.dumps(request['ceremony'])}, {json.dumps(request['options'])})")
        try:
            return browsers.until(lambda: json.loads(browser.value("JSON.stringify(outcome)")), "the extension", timeout=2)
        except TimeoutError:
            browser.value("stop.abort()")
    raise TimeoutError("the extension takes no request")


def with_ids(options, ids):
    text = json.dumps(options)
    for name, value in ids.items():
        text = text.replace(f'"@{name}"', f'"{value}"')
    return json.loads(text)


def answers(folder, site):
    """What Chromium answers, with its virtual authenticator."""
    browser = browsers.Browser(folder, site.origin)
    try:
        browser.command("WebAuthn.enable")
        found, ids = [], {}
        for requests_of_one, options in ((page_requests.REQUESTS, VIRTUAL), (page_requests.REQUESTS_FOR_LESS, LESS)):
            device = browser.command("WebAuthn.addVirtualAuthenticator", {"options": options})
            for name, kind, stated in requests_of_one:
                stated = with_ids(stated, ids)
                outcome = settled(browser, kind, stated)
                if kind == "create" and "answer" in outcome:
                    ids[name] = outcome["answer"]["id"]
                    # It keeps three passkeys at most.
                    if f'"@{name}"' not in json.dumps(requests_of_one):
                        credential = base64.b64encode(base64.urlsafe_b64decode(ids[name] + "==")).decode()
                        browser.command("WebAuthn.removeCredential", device | {"credentialId": credential})
                outcome.pop("message", None)
                found.append({"name": name, "ceremony": kind, "isForLess": options is LESS, "options": stated} | outcome)
            browser.command("WebAuthn.removeVirtualAuthenticator", device)
        return found
    finally:
        browser.end()


def main():
    with tempfile.TemporaryDirectory(prefix="capture-") as folder:
        folder = pathlib.Path(folder)
        site = relying_party.RelyingParty()
        (folder / "virtual").mkdir()
        found = answers(folder / "virtual", site)
        home = folder / "proxy/home"
        home.mkdir(parents=True)
        environment = {**os.environ, "HOME": str(home)}
        environment.pop("XDG_DATA_HOME", None)
        subprocess.run([HERE / "run", "install", str(home / "profile")], env=environment, check=True, stderr=subprocess.DEVNULL)
        kept = folder / "kept"
        (home / ".local/share/hybrid/browser-proxy/host").write_text(RECORDER.format(file=str(kept)))
        browser = browsers.Browser(folder / "proxy", site.origin)
        try:
            attached(browser, found[0])
            for request in found:
                before = kept.stat().st_size if kept.exists() else 0
                settled(browser, request["ceremony"], request["options"])
                lines = kept.read_bytes()[before:].splitlines() if kept.exists() else []
                # What Chromium refuses itself no extension sees.
                request["isProxied"] = bool(lines)
                if lines:
                    stated = json.loads(lines[0])
                    assert (stated["type"], stated["origin"]) == (request["ceremony"], site.origin), stated
                    request["options"] = stated["options"]
        finally:
            browser.end()
    lines = ",\n".join(json.dumps(request, ensure_ascii=False) for request in found)
    print(f'{{"chromium": "{browsers.version()}", "origin": "{site.origin}", "requests": [\n{lines}\n]}}')


main()
