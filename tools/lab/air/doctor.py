"""What `hybrid doctor` says while a fault stands, beside what the table has of it."""
import json
import re
import subprocess

from air import trial

SECONDS = 90


def _lines(program, adapter):
    """The checks of `hybrid doctor`, as `cause: text` by name."""
    command = [program, "doctor", "client", "--offline", "--json", *(["--adapter", adapter] if adapter else [])]
    said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False).stdout
    events = [json.loads(line) for line in said.splitlines()]
    return {event["check"]: f"{event['cause']}: {event['text']}" for event in events if event["event"] == "check"}


def _missing(program, fault, air):
    """What it does not say of a fault, which stands and is gone again."""
    air.apply(fault, trial.plan(fault, 0, fault.radios))
    try:
        if fault.act:
            air.act(fault, "client")
        lines = _lines(program, None if fault.second else air.names[0])
    finally:
        air.restore(fault)
    return [f"{check} is {lines.get(check)!r}, and not {pattern!r}"
            for check, pattern in fault.doctor.items() if not re.search(pattern, lines.get(check, ""))]


def examine(program, faults, air):
    """Has it examine the machine under each fault that it can see; how many it does not name."""
    wrong, seen = 0, [fault for fault in faults if isinstance(fault.doctor, dict)]
    for fault in seen:
        if fault.second:
            air.second()
        missing = _missing(program, fault, air)
        if fault.second:
            air.without_second()
        wrong += bool(missing)
        print(f"{'FAIL' if missing else 'ok':5} {fault.name}: {'; '.join(missing) or ', '.join(fault.doctor.values())}", flush=True)
    print(f"doctor: {len(seen)} faults, {wrong} not named")
    return wrong
