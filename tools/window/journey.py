"""Whole ceremonies without a terminal: hybrid asks in the window, and a person answers by keys alone."""
import json
import os
import re
import socket
import subprocess
import tempfile

from accessible import Application
from checks import LIMIT, until
from display import WINDOW, Display
from language import ENGLISH, Language
from states import read_code

PASSPHRASE = "open sesame"


def asking(*credentials, **others):
    """A request for digital credentials: each is its format, its meta and its claims."""
    query = {"credentials": [{"id": f"c{place}", "format": kind, "meta": meta, "claims": [{"path": [claim]} for claim in claims]}
                             for place, (kind, meta, claims) in enumerate(credentials)]}
    data = {"response_type": "vp_token", "nonce": "n", "dcql_query": query, **others}
    return json.dumps({"requests": [{"protocol": "openid4vp-v1-unsigned", "data": data}]})


def together(*requests):
    """Several requests as one."""
    return json.dumps({"requests": [each for request in requests for each in json.loads(request)["requests"]]})


LIBRARY, IDENTITY = "org.library.card", "urn:eudi:pid:1"
CARD = ("dc+sd-jwt", {"vct_values": [LIBRARY]}, ["name"])
MANY = ["name", "member_number", "passport_number", "home_address"]
REQUEST = asking(("mso_mdoc", {"doctype_value": "org.iso.18013.5.1.mDL"}, ["age_over_21"]))
# Requests that windows have shown in part: what has to be read of each; None for one that has to be refused.
HIDING = {
    "four claims": (asking(("dc+sd-jwt", {"vct_values": [LIBRARY]}, MANY)), [LIBRARY, *MANY]),
    "two types, either of which will do": (asking(("dc+sd-jwt", {"vct_values": [LIBRARY, IDENTITY]}, ["name"])), [LIBRARY, IDENTITY]),
    "a type of another format": (asking(("dc+sd-jwt", {"doctype_value": LIBRARY, "vct_values": [IDENTITY]}, ["name"])), None),
    "a second query": (asking(CARD, presentation_definition={"id": "x", "input_descriptors": [{"id": "passport_number"}]}), None),
    "a scope": (asking(CARD, scope="passport_number"), None),
    "a claim before spaces": (asking(("dc+sd-jwt", {"vct_values": [LIBRARY]}, ["over_18" + " " * 230, "passport_number"])), ["passport_number"]),
    "nine requests": (together(*[asking(("dc+sd-jwt", {"vct_values": [LIBRARY]}, [f"claim_{number}"])) for number in range(9)]),
                      [f"claim_{number}" for number in range(9)]),
}
HANDLER = """#!/bin/sh
cat >/dev/null
echo '{"response":{"digital":{"data":{"protocol":"openid4vp-v1-unsigned","data":1}}}}'
"""


class Person:
    """A person at a screen, who counts the keys, and keeps a picture of each window."""

    def __init__(self, screen, pictures, name):
        self.screen, self.pictures, self.name, self.keys, self.windows, self.read = screen, pictures, name, 0, 0, []

    def sees(self, title):
        """Waits for a title, whole or as a pattern, and gives the keyboard to its window; its match, or None if it does not come."""
        def heading():
            window = self.screen.xdotool("search", "--onlyvisible", "--class", WINDOW).split("\n")[-1]
            process = self.screen.xdotool("getwindowpid", window) if window else ""
            self.application = Application(int(process)) if process else None
            titles = [name for role, name, _ in self.application.all() if role == "heading"] if self.application else []
            return next((match for match in (re.fullmatch(title, name or "") for name in titles) if match), None)
        seen = until(heading)
        if seen:
            self.screen.focus()
            self.windows += 1
            self.read += self.application.texts()
            self.screen.picture(self.pictures / f"journey-{self.name}-{self.windows}.png")
        return seen

    def presses(self, *keys):
        self.keys += len(keys)
        self.screen.xdotool("key", *keys)

    def types(self, text):
        self.keys += len(text)
        self.screen.xdotool("type", text)

    def types_secret(self, text=PASSPHRASE, times=1, title="Passphrase"):
        """Types a passphrase once it is taken."""
        taken = self.sees(title) and self.application.takes_keys(self.screen)
        for attempt in range(times):
            if attempt:
                self.presses("Tab")
            self.types(text)
        self.presses("Return")
        return taken

    def approves(self, yes="Approve"):
        """Waits until a yes is possible, and presses it: it is the button after the one that has the focus."""
        if until(lambda: self.application and self.application.can_press(yes)):
            self.presses("Tab", "space")

    def closes(self, title):
        """Waits for an outcome, and closes it, which is no key that a person has to press: it goes by itself."""
        seen = self.sees(title)
        # What is pressed in the first half second closes nothing.
        until(lambda: [self.screen.xdotool("key", "Escape"), not self.application.all()][1])
        return seen

    def __str__(self):
        return f"{self.keys} keys in {self.windows} windows"


class Ceremony:
    """A tunnel service, and hybrid's two sides, each on a screen of its own or on none."""

    def __init__(self, hybrid, window, folder):
        self.hybrid, self.folder, self.processes = hybrid, folder, []
        self.environment = {**os.environ, "HOME": folder, "XDG_DATA_HOME": folder, "XDG_STATE_HOME": folder, "HYBRID_CONFIG": "none",
                            "HYBRID_WINDOW": window}
        self.service = subprocess.Popen(
            [f"{hybrid}-tunnel-service", "--listen", "127.0.0.1:0", "--plain", "--contact-secret", f"{folder}/secret", "--host-name",
             "127.0.0.1"], env=self.environment, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        found = None
        while not found and (line := self.service.stderr.readline()):
            found = re.search(r"listening on (ws://\S+)", line)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.reach = ["--radio", f"udp:127.0.0.1:{free.getsockname()[1]}", "--tunnel", found[1]]

    def secret_file(self, name, text):
        """A file that only its owner may read; its path."""
        path = f"{self.folder}/{name}"
        with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)
        return path

    def start(self, *words, screen=None, reach=True):
        """Starts a command without a terminal."""
        environment = {**self.environment, **(screen.environment if screen else {}), "HOME": self.folder}
        process = subprocess.Popen([self.hybrid, *words, *(self.reach if reach else [])], env=environment, cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        self.processes.append(process)
        return process

    def answer(self, url, screen):
        return self.start("authenticator", "answer", url, "--verify", "passphrase", "--link", "no", screen=screen)

    def close(self):
        """Ends everything; what a command said that is still running, a person may want to know."""
        for process in self.processes:
            if process.returncode is None:
                process.kill()
                print("window: note:", *process.args[1:3], "did not end:", process.stdout.read())
                process.wait()
        self.service.kill()
        self.service.wait()


def succeeds(check, name, process):
    said, _ = process.communicate(timeout=LIMIT)
    check(name, process.returncode == 0, said)


def browser_elsewhere(check, ceremony, screen, pictures, language=ENGLISH):
    """A passkey of this machine for a client elsewhere: made, and used."""
    say, ask, read = language.say, language.ask, []
    for kind in ("register", "sign-in"):
        person = Person(screen, pictures, f"{kind}{language.suffix}")
        user = ["--user", "alice"] if kind == "register" else []
        client = ceremony.start("client", kind, "--rp-id", "example.com", *user, "--state", "state", "--no-links", "--qr", "url")
        authenticator = ceremony.answer(client.stdout.readline().strip(), screen)
        check(f"{kind}: a passphrase is asked for", person.types_secret(times=1 + (kind == "register"), title=say("Passphrase")))
        title = "Make a passkey on {0}?" if kind == "register" else "Sign in with a passkey of {0}?"
        check(f"{kind}: its approval is asked for", person.sees(re.escape(ask(title, "this machine"))))
        check(f"{kind}: the site is told", person.application.find("label", "example.com") or person.application.find("static", "example.com"))
        person.approves(ask("Approve"))
        done = say("{0} as {1}", ("made a passkey for {0}" if kind == "register" else "signed in to {0}", '"example.com"'), '"alice"')
        check(f"{kind}: its outcome is told", person.closes(re.escape(done[:1].upper() + done[1:])))
        succeeds(check, f"{kind}: the authenticator has answered", authenticator)
        succeeds(check, f"{kind}: the client is content", client)
        print(f"window: {kind} from elsewhere: {person}, {len(PASSPHRASE) * (1 + (kind == 'register'))} of the keys the passphrase")
        read += person.read
    return read


def read_from(screen, picture, scheme):
    """Waits for a code on a screen; its text."""
    def code():
        screen.picture(picture)
        return next((text for text in read_code(picture) if text.startswith(scheme)), None)
    return until(code)


def phone_as_a_key(check, ceremony, screen, other, pictures):
    """A code for a phone, here a second hybrid: read from a picture of the screen. Then one whose window is closed."""
    client = ceremony.start("client", "sign-in", "--rp-id", "example.com", "--state", "state", "--no-links", "--qr", "window", screen=screen)
    picture = pictures / "journey-code.png"
    url = read_from(screen, picture, "FIDO:/")
    check("the code is read from the screen", url)
    authenticator, phone = ceremony.answer(url, other), Person(other, pictures, "phone")
    check("the phone asks for its passphrase", phone.types_secret())
    phone.sees(r"Sign in with a passkey of this machine\?")
    person = Person(screen, pictures, "key")
    check("the code goes once it is read", person.sees("Go on on the other device"))
    screen.picture(picture)
    check("it can be read no more", not any(text.startswith("FIDO:/") for text in read_code(picture)))
    phone.approves()
    check("the phone tells its outcome", phone.closes("Signed in to .*"))
    check("the client tells its outcome", person.closes("Signed in to .*"))
    succeeds(check, "the phone has answered", authenticator)
    succeeds(check, "the client is content", client)
    print(f"window: a phone as the key here: {person}")
    client = ceremony.start("client", "sign-in", "--rp-id", "example.com", "--state", "state", "--no-links", screen=screen)
    person = Person(screen, pictures, "closed")
    check("without a terminal the code is in a window", person.sees("Use a passkey of another device"))
    # What is pressed in the first half second closes nothing.
    until(lambda: [person.presses("Escape"), client.poll() is not None][1])
    said, _ = client.communicate(timeout=LIMIT)
    check("a window that is closed ends it, and no other comes", client.returncode == 12 and "the window was closed" in said, said)


def hand_over(check, ceremony, screen, other, pictures):
    """A passkey goes to somebody near: the number that one screen shows is typed at the other."""
    passphrase = ceremony.secret_file("passphrase", PASSPHRASE)
    listed = ceremony.start("passkeys", "list", "--json", "--passphrase-file", passphrase, reach=False)
    passkey = json.loads(listed.communicate(timeout=LIMIT)[0].splitlines()[0])["id"]
    receiver = ceremony.start("passkeys", "receive", "--vault", "other.vault", "--verify", "passphrase", screen=other)
    taker = Person(other, pictures, "receive")
    check("the receiver's new vault asks for a passphrase", taker.types_secret(times=2))
    code = read_from(other, pictures / "journey-receive-code.png", "HYBRID-HANDOVER:/")
    check("the receiver's code is read from the screen", code)
    sender = ceremony.start("passkeys", "send", "--copy", passkey, code, "--verify", "passphrase", screen=screen)
    giver = Person(screen, pictures, "send")
    check("the sender asks for a passphrase", giver.types_secret())
    number = taker.sees(r"Type (\d\d\d \d\d\d) on the other device")
    check("the receiver shows a number", number)
    if not number:
        return
    check("the sender asks for it", giver.sees("Type the number that the other device shows")
          and giver.application.takes_keys(screen, role="text", key="0"))
    giver.types(number[1].replace(" ", ""))
    giver.presses("Return")
    for person in (giver, taker):
        check(f"{person.name}: its approval is asked for", person.sees(r".*\?.*"))
        person.approves()
    check("the sender tells its outcome", giver.closes("Handed over 1 of 1 passkeys"))
    check("the receiver tells its outcome", taker.closes("Took 1 of 1 passkeys"))
    succeeds(check, "the sender is content", sender)
    succeeds(check, "the receiver is content", receiver)
    print(f"window: hand-over: {giver} at the sender, {taker} at the receiver")


def asked(ceremony, screen, request):
    """A site elsewhere that asks for digital credentials, and this machine, whose handler has them."""
    handler = ceremony.secret_file("handler", HANDLER)
    os.chmod(handler, 0o700)
    client = ceremony.start("client", "digital-credential", "--origin", "https://shop.example", "--request",
                            ceremony.secret_file("request.json", request), "--qr", "url")
    return client, ceremony.start("authenticator", "answer", client.stdout.readline().strip(), "--no-passkeys", "--presence-only",
                                  "--credential-handler", handler, screen=screen)


def digital_credential(check, ceremony, screen, pictures):
    """A digital credential of this machine's goes to a site elsewhere."""
    client, authenticator = asked(ceremony, screen, REQUEST)
    person = Person(screen, pictures, "credential")
    check("a consent is asked for", person.sees(r"Show a digital credential of this machine to a site\?"))
    person.approves()
    check("its outcome is told", person.closes('Showed a digital credential to "https://shop.example"'))
    succeeds(check, "the handler has answered", authenticator)
    succeeds(check, "the site has its credential", client)
    print(f"window: a digital credential for elsewhere: {person}")


def hiding(check, ceremony, screen, pictures):
    """What is asked for is read whole, or is not answered."""
    for name, (request, read) in HIDING.items():
        client, authenticator = asked(ceremony, screen, request)
        person = Person(screen, pictures, "hiding")
        # A request that cannot be read whole ends in an outcome, without a question.
        title = person.sees(r"Show a digital credential of this machine to a site\?|Passkey request failed")
        if title and "failed" not in title[0]:
            told = " ".join(text for _, text, _ in person.application.all() if text)
            check(f"{name}: all of it can be read", all(text in told for text in read or ["nothing may be asked"]), told)
            check(f"{name}: the site is told", "https://shop.example" in told)
        else:
            check(f"{name}: it is refused, and said why", title and read is None, title)
        until(lambda: [screen.xdotool("key", "Escape"), authenticator.poll() is not None][1])
        said, _ = authenticator.communicate(timeout=LIMIT)
        check(f"{name}: nothing was sent", authenticator.returncode not in (0, None), said)
        client.kill()
        client.communicate()


def speak(check, hybrid, window, pictures):
    """The same in other languages, on a narrow screen: nothing is cut, and no words are left out."""
    for name, wide in (("zh_CN", False), ("xx", True)):
        with tempfile.TemporaryDirectory(prefix="hybrid-journey.") as folder:
            language = Language(name, folder)
            ceremony, screen = Ceremony(hybrid, window, folder), Display(size="320x640")
            ceremony.environment.update(language.environment)
            try:
                read = browser_elsewhere(check, ceremony, screen, pictures, language)
            finally:
                ceremony.close()
                screen.close()
        for role, text, (x, _, width, _) in read:
            check(f"{name}: {role} {text[:40]} is in the window", x >= 0 and x + width <= 320, (x, width))
            check(f"{name}: {role} {text[:40]} has no words of English", not wide or not language.left(text), language.left(text))
        check(f"{name}: there was something to read", len(read) > 25, read)


def play(check, hybrid, window, pictures):
    with tempfile.TemporaryDirectory(prefix="hybrid-journey.") as folder:
        ceremony, screen, other = Ceremony(hybrid, window, folder), Display(), Display()
        try:
            browser_elsewhere(check, ceremony, screen, pictures)
            phone_as_a_key(check, ceremony, screen, other, pictures)
            hand_over(check, ceremony, screen, other, pictures)
            digital_credential(check, ceremony, screen, pictures)
            hiding(check, ceremony, screen, pictures)
        finally:
            for each in (ceremony, screen, other):
                each.close()
