"""Checks the window: each state on each screen, and the attacks. See run."""
import json
import pathlib
import sys
import tempfile

import attacks
import contrast
import journey
from checks import Checks, until
from display import Display, Weston
from program import Program
from states import CODE, STATES, TOLD, read_code, texts

PICTURES = pathlib.Path(__file__).resolve().parents[2] / ".build-window/screenshots"
SCREENS = {"light": {}, "dark": {"theme": "Adwaita:dark"}, "narrow": {"size": "320x640"}, "large": {"dpi": 192},
           "narrow-large": {"size": "320x640", "theme": "Adwaita:dark", "dpi": 192}}


def check_texts(check, program, screen):
    """Texts are told from top to bottom, as they stand, and can be told from what is behind them."""
    told = until(program.application.texts)
    places = [(box[1], box[0]) for _, _, box in told]
    check("its texts are told in the order in which they stand", places == sorted(places), told)
    def measure():
        with tempfile.NamedTemporaryFile(suffix=".ppm") as file:
            screen.picture(file.name)
            picture = contrast.read(file.name)
        return {(role, text): contrast.of_text(picture, box) or 0 for role, text, box in program.application.texts()}
    # A button that has become usable is shown so by and by.
    until(lambda: min(measure().values(), default=0) >= contrast.LEAST)
    ratios = measure()
    for (role, text), ratio in ratios.items():
        check(f"{role} {text[:40]} has contrast", ratio >= contrast.LEAST, f"{ratio}")
    check("some of its texts have contrast", len(ratios) > 1)


def show_state(check, path, screen, name, picture, measured=False):
    """Shows one state, and reads what there is of it."""
    state = STATES[name]
    program = Program(path, screen.environment)
    check("it speaks version 1", program.greeting == {"contract": 1}, program.greeting)
    program.show(state)
    check("its title is told", program.is_shown())
    screen.focus()
    if name in ("code", "step"):
        program.send(json.dumps({"tell": TOLD}).encode() + b"\n")
        check("its stage is told", until(lambda: program.application.find(None, TOLD)))
    told = [(role, text) for role, text, _ in program.application.all()]
    for roles, text in texts(state):
        check(f"{roles[0]} {text[:40]}", any((role, text) in told for role in roles), told)
    focus = {"secret": ("password text", None), "digits": ("text", None)}.get(name, ("push button", state["no"]))
    check("the focus is right", until(lambda: program.application.is_focused(*focus)), told)
    # The pause is over for the picture where something tells it.
    if name == "approval":
        until(lambda: program.application.can_press(state["yes"]) or program.application.find(None, "Scroll to the end to approve"))
    screen.picture(picture)
    check.screenshots += 1
    check("there is a picture", picture.stat().st_size > 1000)
    if measured:
        check_texts(check, program, screen)
    if name == "code":
        read = until(lambda: [screen.picture(picture), CODE in read_code(picture)][1])
        check("the code is read from the picture", read)
    check.states.add(name)
    if state["show"] == "outcome":
        program.kill()
    else:
        check("it ends normally", (program.end() or (None, ""))[0] == 0)


def show_on_weston(check, path):
    """The approval on Wayland, answered by assistive technology: the screen has neither keys nor a pointer."""
    screen = Weston()
    try:
        check("weston runs", screen.is_there)
        program = Program(path, screen.environment)
        check("it speaks version 1", program.greeting == {"contract": 1}, program.greeting)
        program.show(STATES["approval"])
        check("its title is told", program.is_shown())
        check("a yes is possible", attacks.can_say_yes(program))
        picture = PICTURES / "approval-wayland.png"
        if screen.picture(picture):
            check.screenshots += 1
        else:
            print("window: note: weston takes no picture")
        check("the yes is pressed", program.application.press("Approve"))
        check("it is answered", program.answer() == {"answer": "yes"})
        check("it ends normally", (program.end() or (None, ""))[0] == 0)
    finally:
        screen.close()


def main(path, hybrid, only):
    PICTURES.mkdir(parents=True, exist_ok=True)
    check = Checks()
    check.group = "contrast"
    white = (255, 255, 255)
    check("two greys are told apart", contrast.ratio((0x77,) * 3, white) < contrast.LEAST < contrast.ratio((0x76,) * 3, white))
    for variant, settings in SCREENS.items():
        if only not in f"states {variant}":
            continue
        screen = Display(**settings)
        for name in STATES:
            check.group = f"{name}, {variant}"
            show_state(check, path, screen, name, PICTURES / f"{name}-{variant}.png", measured=variant in ("light", "dark"))
        screen.close()
    for attack in attacks.ATTACKS:
        check.group = attack.__name__.replace("_", " ")
        if only in check.group:
            before, screen = check.count, Display()
            attack(check, path, screen)
            check("something was checked", check.count > before)
            screen.close()
    check.group = "journey"
    if hybrid and only in check.group:
        journey.play(check, hybrid, path, PICTURES)
    check.group = "language"
    if hybrid and only in check.group:
        journey.speak(check, hybrid, path, PICTURES)
    check.group = "wayland"
    if only in check.group:
        show_on_weston(check, path)
    print(f"window: {check.count} checks in {len(check.states)} states, {check.screenshots} screenshots, {len(check.failed)} failed")
    done = check.count and (only or len(check.states) == len(STATES))
    return 1 if check.failed or not done else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
