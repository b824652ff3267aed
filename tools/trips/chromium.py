"""Sign-ins of Chromium with our authenticator, and of our client with it, by turns, over the lab's Bluetooth: a command of tools/lab/run
--bus, which beside.py starts in the near namespace. Writes a line of JSON for each: its pair, and the time of each stage by the clock."""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/lab"), str(ROOT / "tools/browser-test")]
import beside  # noqa: E402
import browser  # noqa: E402
import context as contexts  # noqa: E402
import processes  # noqa: E402

# The lines of Chromium's log at which it has reached a stage.
LOGGED = {"advertSeen": "matches QR code", "ready": "established v2", "commandAnswered": r"ctap2_device_operation[.]h:\d+ -> "}
CHANNEL = ["--channel", "websocket"]


class Service:
    """The tunnel service in the other namespace, as the browser's test takes it."""

    def __init__(self, url, authority):
        self.url, self.authority, self.address = url, authority, url.removeprefix("wss://")

    def end(self):
        """The one who started it ends it."""


def logged(log, since):
    """The first time of each stage in the log of Chromium behind a position."""
    with open(log, "rb") as file:
        file.seek(since)
        text = file.read().decode(errors="replace")
    times = {}
    for name, pattern in LOGGED.items():
        stamp = re.search(rf"^\[\d+:\d+:(\d+/\d+[.]\d+):.*{pattern}", text, re.MULTILINE)[1]
        times[name] = datetime.datetime.strptime(f"{datetime.date.today().year}{stamp}", "%Y%m%d/%H%M%S.%f").timestamp()
    return times


def stages(who, events):
    return {f"{who} {event['stage']}": event["time"] for event in reversed(events) if event["event"] == "stage"}


def chromium(context):
    """A sign-in in the page."""
    options, state = context.site.request()
    since = context.browser.log_length()
    code, shown = context.ask("get", options)
    outcome = context.outcome(context.answer(code, options=("--yes", *CHANNEL)), shown)
    assert outcome.answer, f"the page saw {outcome.error}"
    context.site.signed_in(state, outcome.answer)
    return stages("A", outcome.events) | {f"C {name}": at for name, at in logged(context.browser.log_path, since).items()}


def ours(context, *words):
    """A ceremony of our client, on the adapter of Chromium."""
    client = processes.start(
        [context.program, "client", *words, "--rp-id", "example.com", "--no-links", "--qr", "url", "--json", "--adapter",
         context.BROWSER_ADAPTER, "--tunnel", context.service.url, "--ca", str(context.service.authority), *CHANNEL],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    code = next(line.strip() for line in client.stdout if line.startswith("FIDO:/"))
    authenticator = context.answer(code, options=("--yes", *CHANNEL))
    events = [context.end_of(each) for each in (client, authenticator)]
    assert client.returncode == authenticator.returncode == 0, events
    return stages("C", events[0]) | stages("A", events[1])


def main():
    parser = argparse.ArgumentParser()
    for name in ("program", "folder", "service", "authority"):
        parser.add_argument(name)
    parser.add_argument("count", type=int)
    given = parser.parse_args()
    print(json.dumps({"version": browser.version()}), flush=True)
    with contexts.TestContext(given.program, given.folder, Service(given.service, pathlib.Path(given.authority))) as context:
        context.register("alice")
        ours(context, "register", "--user", "alice")
        for _ in range(given.count):
            for pair, sign_in in ((beside.OURS_IN_LAB, lambda: ours(context, "sign-in")), (beside.CHROMIUM, lambda: chromium(context))):
                print(json.dumps({"pair": pair, "times": sign_in()}), flush=True)


if __name__ == "__main__":
    main()
