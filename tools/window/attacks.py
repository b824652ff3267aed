"""Attacks on the window: each is a function of the checks, the program and a screen."""
import json
import tempfile
import time

from checks import until
from program import GREETING, Program
from states import STATES, TOLD, read_code

PAUSE = 0.5
APPROVAL = STATES["approval"]
MARKUP = "<b>bold</b> &amp; <span foreground='red'>x</span>"
SECRET = "pässwörd ß 1"


def begun(path, screen, state, **others):
    """A program that shows a state, with the keyboard."""
    program = Program(path, screen.environment)
    program.show(state, **others)
    program.is_shown()
    screen.focus()
    return program


def can_say_yes(program):
    return until(lambda: program.application.can_press(program.shown["yes"]))


def pointer_at(screen, program, name):
    screen.xdotool("mousemove", *program.application.centre(name))


def too_soon(check, path, screen):
    """Clicks, keys and assistive technology, from the first moment on: no answer in the first half second."""
    program = begun(path, screen, APPROVAL)
    check("a yes is possible in the end", can_say_yes(program))
    pointer_at(screen, program, "Approve")
    for name, press, expected in [("clicks on yes", ("click", 1), "yes"), ("keys", ("key", "space"), "no"), ("Escape", ("key", "Escape"), "no")]:
        first = None
        # A busy machine can be done with its first press after the pause, which shows nothing.
        while first is None or first >= PAUSE:
            program.show(APPROVAL)
            answer = first = None
            while answer is None and time.monotonic() < program.begun + 60:
                screen.xdotool(*press)
                first = first or time.monotonic() - program.begun
                answer = program.answer(limit=0)
            elapsed = time.monotonic() - program.begun
            check(f"{name} are answered", answer == {"answer": expected}, answer)
            if answer is None:
                break
        check(f"{name} are ignored for half a second", elapsed >= PAUSE, f"{elapsed:.2f} s, the first after {first:.2f} s")
    program.show(APPROVAL)
    answer = None
    while answer is None and time.monotonic() < program.begun + 60:
        program.application.press("Approve")
        answer = program.answer(limit=0)
    check("assistive technology's yes comes after the pause", answer == {"answer": "yes"} and time.monotonic() - program.begun >= PAUSE, answer)
    check("the end is regular", program.end() is not None)


def by_chance(check, path, screen):
    """Single keys after the pause are no."""
    program = begun(path, screen, APPROVAL)
    for show in ("approval", "choice"):
        for key in ("space", "Return", "KP_Enter", "Escape"):
            program.show(STATES[show])
            check(f"{show} is shown", program.is_shown())
            until(lambda: program.application.is_focused("push button", program.shown["no"]))
            if show == "approval":
                can_say_yes(program)
            answer = None
            while answer is None and time.monotonic() < program.begun + 60:
                screen.xdotool("key", key)
                answer = program.answer(limit=0.2)
            check(f"{key} is no in {show}", answer == {"answer": "no"}, answer)
    program.end()


def by_keyboard(check, path, screen):
    """Everything by keys alone: yes, an account, digits, a passphrase."""
    program = begun(path, screen, APPROVAL)
    can_say_yes(program)
    screen.xdotool("key", "Tab", "space")
    check("Tab and Space approve", program.answer() == {"answer": "yes"})
    program.show(STATES["choice"])
    program.is_shown()
    until(lambda: program.application.is_focused("push button", "Cancel"))
    check("without an account there is no yes", not program.application.can_press("Sign in"))
    until(lambda: [screen.xdotool("key", "shift+Tab"), program.application.is_focused("list item")][1])
    check("its focus selects none", not program.application.can_press("Sign in"))
    screen.xdotool("key", "Down")
    check("arrow keys do", can_say_yes(program))
    screen.xdotool("key", "Home")
    check("with an account there is", can_say_yes(program))
    until(lambda: [screen.xdotool("key", "Tab"), program.application.is_focused("push button", "Sign in")][1])
    screen.xdotool("key", "space")
    answer = program.answer()
    check("the account is answered", answer == {"answer": "account", "account": 0}, answer)
    program.show(STATES["digits"])
    program.is_shown()
    typed = until(lambda: [screen.xdotool("type", "1a"), program.application.can_press("Pair")][1])
    check("letters are not taken", typed)
    screen.xdotool("key", "Return")
    check("digits are answered", program.answer() == {"answer": "digits", "digits": "111111"})
    program.end()


def scrolling(check, path, screen):
    """A yes is possible only at the end of what is asked."""
    program = begun(path, screen, APPROVAL, lines=[f"line {number} of what is asked" for number in range(200)])
    check("it is said why there is no yes", until(lambda: program.application.find(None, "Scroll to the end to approve")))
    check("there is no yes at first", not program.application.can_press("Approve"))
    screen.xdotool("key", "Page_Down")
    check("nor in the middle", not program.application.can_press("Approve"))
    screen.xdotool("key", "Tab", "space")
    check("nor is anything answered", program.answer(limit=1) in (None, {"answer": "no"}))
    program.show(APPROVAL, lines=[f"line {number} of what is asked" for number in range(200)])
    program.is_shown()
    until(lambda: program.application.find(None, "Scroll to the end to approve"))
    screen.xdotool("key", "End")
    check("there is one at the end", can_say_yes(program))
    screen.xdotool("key", "Tab", "space")
    answer = program.answer()
    check("Tab and Space approve", answer == {"answer": "yes"}, answer)
    program.end()


def markup(check, path, screen):
    """Text is text: markup and a mnemonic's underline stay as they are."""
    program = begun(path, screen, STATES["choice"], title=MARKUP, lines=[MARKUP, "_a __b"], accounts=[MARKUP], yes=MARKUP, no="_No")
    for role, name in [("heading", MARKUP), ("label", MARKUP), ("label", "_a __b"), ("list item", MARKUP), ("push button", MARKUP),
                       ("push button", "_No")]:
        check(f"a {role} is verbatim", program.application.find(role, name), name)
    program.show(STATES["secret"], prompt=MARKUP, objection=MARKUP)
    program.is_shown()
    check("an objection is verbatim", until(lambda: [name for role, name, _ in program.application.all() if name == MARKUP]))
    program.send(json.dumps({"tell": MARKUP}).encode() + b"\n")
    check("a stage is verbatim", until(lambda: sum(name == MARKUP for _, name, _ in program.application.all()) > 2))
    window = screen.xdotool("search", "--onlyvisible", "--name", ".").split("\n")[-1]
    check("the title of the window is ours", screen.xdotool("getwindowname", window) == "Passkey")
    program.end()


def bad_lines(check, path, screen):
    """Lines that the contract does not have end the program, without an answer."""
    code, approval = STATES["code"], APPROVAL
    rows = code["modules"]
    show = lambda state, **others: json.dumps({"id": 1, **state, **others}).encode() + b"\n"  # noqa: E731
    lines = {
        "too long": b'{"tell":"' + b"x" * 1_048_576 + b'"}\n', "too long, without an end": b"x" * 1_048_577, "no JSON": b"hello\n",
        "no object": b"[]\n", "no UTF-8": b'{"tell":"\xff"}\n', "an unknown show": show({**approval, "show": "video"}),
        "an unknown member": show(approval, picture="x"), "a member twice": b'{"tell":"a","tell":"b"}\n', "no title": b'{"show":"step","id":1,"lines":[],"no":"No"}\n',
        "lines that are no texts": show(approval, lines=[1]), "2,001 lines": show(approval, lines=["x"] * 2_001),
        "a site that is not ASCII": show(approval, site="exämple.org"), "an id that is no integer": show(approval, id=1.5),
        "a huge id": show(approval, id=10**30), "a missing row": show(code, modules=rows[1:]), "a short row": show(code, modules=[*rows[1:], "1"]),
        "a module that is neither": show(code, modules=["2" + rows[0][1:], *rows[1:]]), "20 rows": show(code, modules=["1" * 20] * 20),
        "178 rows": show(code, modules=["1" * 178] * 178), "no accounts": show(STATES["choice"], accounts=[]),
        "no digits": show(STATES["digits"], count=0), "deep JSON": b"[" * 100_000 + b"\n", "an id again": show(STATES["step"]) * 2,
    }
    for name, line in lines.items():
        program = Program(path, screen.environment)
        try:
            program.send(line)
        except BrokenPipeError:
            pass
        end = program.ended(60)
        check(f"{name}: it ends with 1 and a message", end and end[0] == 1 and "hybrid-window: error: " in end[1], end)
        check(f"{name}: there is no answer", program.received == b"" and program.process.stdout.read() == b"")
        program.kill()
    for name, line in {"a later contract": b'{"contract":2,"language":"en"}\n', "no greeting": show(approval)}.items():
        program = Program(path, screen.environment, greets=False)
        program.send(line)
        end = program.ended(60)
        check(f"{name}: it ends with 1", end and end[0] == 1 and program.process.stdout.read() == b"", end)
    program = Program(path, {**screen.environment, "DISPLAY": ":4711"}, greets=False)
    end = program.ended(60)
    check("without a display it ends with 2, and has written nothing", end and end[0] == 2 and program.process.stdout.read() == b"", end)


def ends(check, path, screen):
    """The end of the conversation ends the program, but for an outcome."""
    for name, state in STATES.items():
        program = begun(path, screen, state)
        since = time.monotonic()
        program.process.stdin.close()
        if state["show"] != "outcome":
            end = program.ended(60)
            # At once, and not as an outcome does after its time; hybrid itself waits 2 s, which a busy machine may need.
            check(f"{name} ends at once", end and end[0] == 0 and time.monotonic() - since < 10, (end, time.monotonic() - since))
            continue
        if state["good"]:
            check(f"{name} closes by itself", program.ended(60) is not None and 3 < time.monotonic() - since < 90, time.monotonic() - since)
            continue
        check(f"{name} stays", program.ended(3) is None)
        screen.xdotool("key", "Escape")
        check(f"{name} is closed by the user", program.ended(60) is not None and time.monotonic() - since < 29)
    program = begun(path, screen, STATES["outcome"])
    since = time.monotonic()
    check("an outcome that nobody closes ends", program.end() is not None and 28 < time.monotonic() - since < 120, time.monotonic() - since)


def secrets(check, path, screen):
    """A secret is on standard output alone, whole."""
    program = begun(path, screen, STATES["secret"])
    until(lambda: program.application.is_focused("password text"))
    until(lambda: program.application.find(None, "Scroll to the end to approve") is None)
    check("it takes what is typed in the end", program.application.takes_keys(screen))
    screen.xdotool("type", "--delay", "60", SECRET)
    screen.xdotool("key", "Tab")
    check("one entry is not enough", not program.application.can_press("Set"))
    screen.xdotool("type", "--delay", "60", SECRET[:-1])
    check("two that differ are not", until(lambda: program.application.find(None, "The two entries are different")) and
          not program.application.can_press("Set"))
    screen.xdotool("type", SECRET[-1])
    check("two that are equal are", can_say_yes(program))
    told = [name for _, name, _ in program.application.all()]
    check("assistive technology is not told it", not any(SECRET in name for name in told))
    for file in ("cmdline", "environ"):
        with open(f"/proc/{program.process.pid}/{file}", "rb") as contents:
            check(f"it is not in {file}", SECRET.encode() not in contents.read())
    with open(f"/proc/{program.process.pid}/limits") as limits:
        check("no core is dumped", any(line.split()[-3:-1] == ["0", "0"] for line in limits if "core file" in line))
    screen.xdotool("key", "Return")
    answer = program.answer()
    whole = program.bytes((answer or {}).get("bytes", 0) + 1)
    check("the bytes come whole", answer and whole == SECRET.encode() + b"\n", (answer, whole))
    end = program.end()
    check("standard error has none of it", end and SECRET not in end[1], end)


def controls(check, path, screen):
    """What would change the direction of a text, or end it, is shown as its number."""
    program = Program(path, screen.environment)
    program.show(APPROVAL, title="a\0b", lines=["c\u202ed\ne\u200b"])
    for text in ("a\\u{0}b", "c\\u{202e}d\\u{a}e\\u{200b}"):
        check(f"{text} is told", until(lambda: program.application.find(None, text)))
    check("it ends normally", (program.end() or (None, ""))[0] == 0)


def hasty_stages(check, path, screen):
    """A stage that is told before the window is on screen makes it no smaller: the code can be scanned."""
    state = STATES["code"]
    for _ in range(3):
        program = Program(path, screen.environment)
        # At once: the window has had no time to be made.
        program.send(b"".join(json.dumps(line).encode() + b"\n" for line in ({"id": 1, **state}, {"tell": TOLD})))
        check("its stage is told", until(lambda: program.application.find(None, TOLD)))
        with tempfile.NamedTemporaryFile(suffix=".png") as picture:
            read = until(lambda: [screen.picture(picture.name), state["text"] in read_code(picture.name)][1])
        check("the code is read from the picture", read)
        check("it ends normally", (program.end() or (None, ""))[0] == 0)


def late(check, path, screen):
    """What was pressed on one question answers no other."""
    program = begun(path, screen, APPROVAL)
    can_say_yes(program)
    pointer_at(screen, program, "Approve")
    screen.xdotool("mousedown", 1)
    program.show(APPROVAL, title="Another question?")
    check("the next question is shown", program.is_shown() and can_say_yes(program))
    screen.xdotool("mouseup", 1)
    check("a button that is let go answers nothing", program.answer(limit=1) is None)
    screen.xdotool("key", "Escape")
    answer = program.line()
    check("the first answer is to the later question", answer == {"id": program.id, "answer": "no"}, answer)
    screen.xdotool("key", "Escape", "space")
    check("there is one answer to each", program.line(limit=1) is None)
    program.end()


ATTACKS = [too_soon, by_chance, by_keyboard, scrolling, markup, bad_lines, ends, secrets, controls, hasty_stages, late]
