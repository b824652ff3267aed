"""Whole ceremonies without a terminal: hybrid asks in the window, and a person answers by keys alone."""
import os
import re
import socket
import subprocess
import tempfile

from accessible import Application
from checks import LIMIT, until
from display import Display
from states import read_code

PASSPHRASE = "open sesame"


class Person:
    """A person at a screen, who counts the keys."""

    def __init__(self, screen):
        self.screen, self.keys = screen, 0

    def sees(self, title):
        """Waits for a title, and gives the keyboard to its window; false if it does not come."""
        def heading():
            window = self.screen.xdotool("search", "--onlyvisible", "--name", "^Passkey$").split("\n")[-1]
            process = self.screen.xdotool("getwindowpid", window) if window else ""
            self.application = Application(int(process)) if process else None
            return self.application and self.application.find("heading", title)
        seen = until(heading)
        if seen:
            self.screen.focus()
        return bool(seen)

    def presses(self, *keys):
        self.keys += len(keys)
        self.screen.xdotool("key", *keys)

    def types(self, text):
        self.keys += len(text)
        self.screen.xdotool("type", text)

    def approves(self):
        """Waits until a yes is possible, and presses it: it is the button after the one that has the focus."""
        if until(lambda: self.application.can_press("Approve")):
            self.presses("Tab", "space")


class Ceremony:
    """A tunnel service, and hybrid's two sides, each on a screen of its own or on none."""

    def __init__(self, hybrid, window, folder):
        self.hybrid, self.folder = hybrid, folder
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

    def start(self, *words, screen=None):
        """Starts a command without a terminal."""
        environment = {**self.environment, **(screen.environment if screen else {}), "HOME": self.folder}
        return subprocess.Popen([self.hybrid, *words, *self.reach], env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def answer(self, url, screen):
        return self.start("authenticator", "answer", url, "--verify", "passphrase", "--link", "no", screen=screen)

    def close(self):
        self.service.kill()
        self.service.wait()


def succeeds(check, name, process):
    said, _ = process.communicate(timeout=LIMIT)
    check(name, process.returncode == 0, said)


def browser_elsewhere(check, ceremony, screen):
    """A passkey of this machine for a client elsewhere: made, and used."""
    for kind in ("register", "sign-in"):
        person = Person(screen)
        user = ["--user", "alice"] if kind == "register" else []
        client = ceremony.start("client", kind, "--rp-id", "example.com", *user, "--state", "state", "--no-links", "--qr", "url")
        authenticator = ceremony.answer(client.stdout.readline().strip(), screen)
        check(f"{kind}: a passphrase is asked for", person.sees("Passphrase") and person.application.takes_keys(screen))
        person.types(PASSPHRASE)
        if kind == "register":
            person.presses("Tab")
            person.types(PASSPHRASE)
        person.presses("Return")
        title = "Make a passkey on this machine?" if kind == "register" else "Sign in with a passkey of this machine?"
        check(f"{kind}: its approval is asked for", person.sees(title))
        check(f"{kind}: the site is told", person.application.find("label", "example.com") or person.application.find("static", "example.com"))
        person.approves()
        succeeds(check, f"{kind}: the authenticator has answered", authenticator)
        succeeds(check, f"{kind}: the client is content", client)
        print(f"window: {kind} from elsewhere: {person.keys} keys, {len(PASSPHRASE) * (1 + (kind == 'register'))} of them the passphrase")


def phone_as_a_key(check, ceremony, screen, other, pictures):
    """A code for a phone, here a second hybrid: read from a picture of the screen. Then one whose window is closed."""
    client = ceremony.start("client", "sign-in", "--rp-id", "example.com", "--state", "state", "--no-links", "--qr", "window", screen=screen)
    picture = pictures / "journey-code.png"
    def code():
        screen.picture(picture)
        return next((text for text in read_code(picture) if text.startswith("FIDO:/")), None)
    url = until(code)
    check("the code is read from the screen", url)
    authenticator, person = ceremony.answer(url, other), Person(other)
    check("the phone asks for its passphrase", person.sees("Passphrase") and person.application.takes_keys(other))
    person.types(PASSPHRASE)
    person.presses("Return")
    person.sees("Sign in with a passkey of this machine?")
    watcher = Person(screen)
    check("the code goes once it is read", watcher.sees("Go on on the other device") and code() is None)
    person.approves()
    succeeds(check, "the phone has answered", authenticator)
    succeeds(check, "the client is content", client)
    client, person = ceremony.start("client", "sign-in", "--rp-id", "example.com", "--state", "state", "--no-links", screen=screen), Person(screen)
    check("without a terminal the code is in a window", person.sees("Use a passkey of another device"))
    # What is pressed in the first half second closes nothing.
    until(lambda: [person.presses("Escape"), client.poll() is not None][1])
    said, _ = client.communicate(timeout=LIMIT)
    check("a window that is closed ends it", client.returncode == 12 and "the window was closed" in said, said)


def play(check, hybrid, window, pictures):
    with tempfile.TemporaryDirectory(prefix="hybrid-journey.") as folder:
        ceremony, screen, other = Ceremony(hybrid, window, folder), Display(), Display()
        try:
            browser_elsewhere(check, ceremony, screen)
            phone_as_a_key(check, ceremony, screen, other, pictures)
        finally:
            for each in (ceremony, screen, other):
                each.close()
