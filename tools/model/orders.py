"""Orders and races: the models in spin/, each with mutants that Spin has to catch."""
import json
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# model: (what is asked, {mutant: what it does wrong})
MODELS = {
    "channel": ("choice of the channel: one session, no matter who else is near", {
        "FIRST_CONNECTION": "the authenticator takes the first connection", "NO_FALLBACK": "a forged suffix ends the attempt",
        "BOTH": "the authenticator goes on with every channel"}),
    "wake": ("a wake against 410: only a revoked link is forgotten", {
        "SERVICE_GUESSES": "410 for an authenticator that is away", "CLIENT_DELETES": "the client forgets at any failure"}),
    "nodes": ("two nodes of a service: one client in a tunnel", {
        "NO_ROUTING": "a node serves anyone who comes to it", "CHECK_THEN_ACT": "the node looks first and takes later"}),
    "cancel": ("a cancel against an answer: a yes for each answer, none after a shutdown", {
        "YES_IS_KEPT": "a yes serves a second request", "NO_LOOK": "a shutdown beside the yes is not seen"}),
    "revoke": ("a link revoked in mid-session: no session begins afterwards", {
        "STALE_LIST": "the links are those of the registration", "NONCE_AGAIN": "a wake is answered each time"}),
}


def transitions():
    """The definitions that the models take from transitions.json: what an end takes after an order of steps."""
    table = json.loads((HERE / "transitions.json").read_text())
    wanted = {
        "CLIENT_TAKES_ANSWER_AFTER_SHUTDOWN": ("client", "sends request, sends shutdown", "receives answer"),
        "CLIENT_SENDS_REQUEST_AFTER_SHUTDOWN": ("client", "sends shutdown", "sends request"),
        "AUTHENTICATOR_TAKES_SECOND_REQUEST": ("authenticator", "receives request, sends answer", "receives request"),
        "AUTHENTICATOR_TAKES_REQUEST_WHILE_ASKING": ("authenticator", "receives request", "receives request"),
        "AUTHENTICATOR_ANSWERS_AFTER_SHUTDOWN": ("authenticator", "receives request, receives shutdown", "sends answer"),
    }
    return "".join(f"#define {name} {str(step in table[end][order]).lower()}\n" for name, (end, order, step) in wanted.items())


def check(work, model, mutant=None):
    """True if Spin finds no error in the model: no assertion fails, and nobody waits for ever."""
    folder = work / f"spin-{model}-{mutant or 'as-it-is'}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "transitions.h").write_text(transitions())
    shutil.copy(HERE / f"spin/{model}.pml", folder)

    def run(*command):
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-400:]}")
        return done.stdout

    run("spin", "-a", *([f"-D{mutant}"] if mutant else []), f"{model}.pml")
    run("cc", "-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c")
    found = re.search(r"errors: (\d+)", run("./pan", "-m100000"))
    if not found:
        raise RuntimeError(f"{model}: pan says nothing")
    return found[1] == "0"


def check_all(work):
    """Asks about each model and each mutant: yields a line, and whether it is as it should be."""
    for model, (what, mutants) in MODELS.items():
        for mutant, wrong in ((None, what), *mutants.items()):
            holds = check(work, model, mutant)
            yield f"{'holds' if holds else 'fails':8}           spin {model}{f' with {mutant}' if mutant else ''}: {wrong}", holds == (
                mutant is None)
