"""The states of the window: what hybrid sends, and what has to be told of it."""
import subprocess

CODE = "FIDO:/" + "0123456789" * 17


def modules(text):
    """The rows of a QR code, as libqrencode draws it."""
    drawn = subprocess.run(["qrencode", "-t", "ASCII", "-m", "0", "-l", "L", "-o", "-", text], stdout=subprocess.PIPE, text=True, check=True)
    return ["".join("1" if row[place] == "#" else "0" for place in range(0, len(row), 2)) for row in drawn.stdout.splitlines() if row]


STATES = {
    "code": {"title": "Scan this code with your phone",
             "lines": ["Open the camera of the phone that has your passkey, and keep it near this computer."],
             "no": "Cancel", "modules": modules(CODE), "text": CODE},
    "approval": {"title": "Sign in with a passkey of this machine?", "site": "login.example.org",
                 "lines": ['account: "alice"', 'asked by: "Firefox"'], "yes": "Approve", "no": "Refuse"},
    "choice": {"title": "Which account signs in?", "site": "example.org", "lines": ["This machine has three passkeys for the site."],
               "accounts": ['"alice"', '"bob@example.org"', '"Ωmega"'], "yes": "Sign in", "no": "Cancel"},
    "secret": {"title": "Choose a passphrase for the passkeys", "lines": ["It protects them on this disk."], "prompt": "New passphrase",
               "objection": "That passphrase was too short", "twice": True, "yes": "Set", "no": "Cancel"},
    "digits": {"title": "Type the number that the phone shows", "lines": ["The phone shows six digits."], "count": 6,
               "objection": "That was another number", "yes": "Pair", "no": "Cancel"},
    "step": {"title": "Confirm on your phone", "lines": ["It asks for your fingerprint."], "no": "Cancel"},
    "outcome": {"title": "The phone did not answer", "lines": ["cause: no advert was received within 60 seconds",
                                                               "hint: turn on Bluetooth on the phone, and try again"],
                "good": False, "no": "Close"},
    "success": {"title": "Signed in", "site": None, "lines": ["signed in to example.org as alice"], "good": True, "no": "Close"},
}
STATES = {name: {"show": "outcome" if name == "success" else name, **{key: value for key, value in state.items() if value is not None}}
          for name, state in STATES.items()}
TOLD = "the phone is near: confirm there"


def read_code(picture):
    """The texts of the QR codes on a picture."""
    return subprocess.run(["zbarimg", "--raw", "-q", str(picture)], stdout=subprocess.PIPE, text=True).stdout.split("\n")


def texts(state):
    """Each text that a state has, with the roles under which it may be told."""
    found = [(("heading",), state["title"]), (("push button",), state["no"])]
    found += [(("label", "static"), line) for line in state["lines"]]
    found += [(("label", "static"), state[name]) for name in ("site", "prompt") if name in state]
    found += [(("push button",), state["yes"])] if "yes" in state else []
    found += [(("list item",), account) for account in state.get("accounts", [])]
    found += [(("alert", "notification"), state["objection"])] if "objection" in state else []
    found += [(("image", "icon"), "QR code")] if state["show"] == "code" else []
    found += [(("password text",), state["prompt"])] if state["show"] == "secret" else []
    found += [(("text", "entry"), state["title"])] if state["show"] == "digits" else []
    return found
