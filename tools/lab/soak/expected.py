"""Which ends of a ceremony are right, with and without a fault.

A ceremony without a fault, or with other devices' adverts alone, must succeed on both sides. Under any other fault a side
may end with one of the listed exit codes, if its cause is one that the fault explains.
"""
import re

KILLED = -9
SUCCESS, RADIO, TIMEOUT, UNREACHABLE, REFUSED, CLOSED = 0, 10, 11, 13, 14, 16

# What each exit code may name as its cause (the beginning of the error's `cause`).
_ANYTHING = re.compile("")
_LOST_CHANNEL = re.compile(r"closed|connection-lost|session-ended|shutdown|the client|the authenticator|the other side")
_OFF = re.compile(r"powered-off|no-adapter|adapter|failed|busy|blocked|bluetooth-service-lost|connection-lost|closed|"
                  r"unreachable|timeout|controller-unresponsive")
_SERVICE_LOST = re.compile(r"bluetooth-service-lost|no-bluetooth-service|powered-off|no-adapter|failed|busy|"
                           r"unresponsive|connection-lost|closed|unreachable")
# Who joins a tunnel whose other end has just gone is told so by the tunnel service.
_GONE = re.compile(r"upgrade-refused: the tunnel service answered 404|unavailable|gone|closed|connection-lost")
# Who connects to a channel whose listener has just gone finds nobody there.
_NOBODY = re.compile(r"unreachable|connection-lost|closed|timeout")

ALLOWED = {
    "client-killed": {
        "client": {KILLED: _ANYTHING, SUCCESS: _ANYTHING},
        "authenticator": {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL}},
    "authenticator-killed": {
        "client": {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL, REFUSED: _GONE, RADIO: _NOBODY},
        "authenticator": {KILLED: _ANYTHING, SUCCESS: _ANYTHING}},
    "adapter-off": {
        "client": {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL, RADIO: _OFF, REFUSED: _GONE},
        "authenticator": {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL, RADIO: _OFF}},
    "service-restarted": {
        side: {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL, UNREACHABLE: _ANYTHING,
               REFUSED: _ANYTHING} for side in ("client", "authenticator")},
    "bluetoothd-killed": {
        side: {SUCCESS: _ANYTHING, TIMEOUT: _ANYTHING, CLOSED: _LOST_CHANNEL, RADIO: _SERVICE_LOST, REFUSED: _GONE}
        for side in ("client", "authenticator")},
}


def judge(plan, applied, sides):
    """The outcome of a ceremony: `success`, `expected` for a fault's own consequences, or `failure`; and its cause.

    `sides` holds for each role its exit code and its error (code, stage and cause, or None), and whether it has said
    that it succeeded (`done`).
    """
    if all(side["exit"] == SUCCESS and side["done"] for side in sides.values()):
        return "success", None
    allowed = ALLOWED.get(plan.fault.kind) if plan.fault and applied else None
    for role, side in sides.items():
        cause = _wrong(role, side, allowed)
        if cause:
            return "failure", cause
    return "expected", None


def _wrong(role, side, allowed):
    """What is wrong with how a side ended; None if nothing is."""
    code, error = side["exit"], side["error"] or {}
    if code is None:
        return f"{role}: hung"
    if allowed is None:
        if code == SUCCESS and side["done"]:
            return None
        return _name(role, code, error) if code != SUCCESS else f"{role}: no result"
    pattern = allowed[role].get(code)
    if pattern is None or not pattern.match(error.get("cause", "")):
        return _name(role, code, error)
    return None


def _name(role, code, error):
    if code < 0:
        return f"{role}: ended by signal {-code}"
    word = error.get("cause", "").split(":")[0] if error.get("code") in ("radio", "peer-closed") else ""
    place = f" before {error['stage']}" if error.get("stage") else ""
    return f"{role}: exit {code} {error.get('code', 'without an error')}{f' ({word})' if word else ''}{place}"
