"""Cases of the conformance runner with the peers in Python, all of which pass. Each is yielded."""

import json

from programs import LIMIT, PEERS, PYTHON, RELAY, RUNNER, Failed, Program


def runner(place, role, names, *words):
    """Runs cases of the runner; all must be there, and pass."""
    radio = [] if role == "tunnel-service" else ["--radio", "udp:"]
    filters = [word for name in names for word in ("--filter", name)]
    options = ["--timeout", LIMIT // 4, "--jobs", "2", "--json", *filters]
    with Program(place.folder, RUNNER, "conformance", role, *radio, *options, *words) as program:
        program.succeed('"event":"result"()')
        lines = (json.loads(line) for line in program.text.splitlines() if line.startswith("{"))
        # Of a rule that is disputed a case only observes: "complies".
        verdicts = {line["id"]: "passed" if line.get("detail") == "complies" else line["verdict"] for line in lines
                    if line["event"] == "verdict"}
    for name in names:
        if verdicts.get(name) != "passed":
            raise Failed(f"{program.command}: {name}: {verdicts.get(name, 'not run')}\n{program.text}")
        yield name


def python(name, *options):
    """A peer, as the runner's commands start it; its simulated radio has an address without the prefix."""
    words = " ".join(map(str, options))
    return f'radio={{radio}}; exec {PYTHON} {PEERS}/{name}.py ' + ("{url} " if name == "authenticator" else "") + (
        f"${{radio#udp:}} {{tunnel}} {{ca}} {words}")


def runner_and_client(place):
    """The runner's authenticator and the client in Python."""
    names = ["tunnel/session", "tunnel/path", "handshake/wrong-psk", "link/kept", "linked/session",
             "linked-handshake/wrong-psk", "digital-credential/credential"]  # fmt: skip
    link = python("client", "--link", "{dir}/link")
    yield from runner(
        place, "client", [f"client/{name}" for name in names], "--link-command", link, "--linked-command", link,
        "--digital-command", python("client", "--json", place.folder / "asked.json"),
        "--", "sh", "-c", python("client"))  # fmt: skip


def runner_and_authenticator(place):
    """The runner's client and the authenticator in Python."""
    names = ["code/makes-passkey", "tunnel/path", "handshake/wrong-psk", "link/signature", "linked/session",
             "linked-handshake/wrong-psk"]  # fmt: skip
    listening = python("authenticator", "--link", "{dir}/link").replace("{url}", "listen")
    yield from runner(
        place, "authenticator", [f"authenticator/{name}" for name in names],
        "--link-command", python("authenticator", "--link", "{dir}/link"), "--listen-command", listening,
        "--", "sh", "-c", python("authenticator"))  # fmt: skip


def runner_and_relay(place):
    """The runner's cases of tunnel services and the relay in Python."""
    with Program(place.folder, *RELAY) as relay:
        names = ["new/accepted", "connect/accepted", "relay/both-ways-at-once"]
        url = f"ws://127.0.0.1:{relay.find('^([0-9]+)$')}"
        yield from runner(place, "tunnel-service", [f"tunnel-service/{name}" for name in names], url)
