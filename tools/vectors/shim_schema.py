"""The JSON schema of the lines between the conformance runner and a shim (the article ShimProtocol of Conformance)."""

HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
TEXT, NUMBER, BOOL, OBJECT = ({"type": kind} for kind in ("string", "integer", "boolean", "object"))
TEXTS = {"type": "array", "items": TEXT}


def one_of(*values):
    return {"enum": list(values)}


def or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


LABEL = {"type": "string", "pattern": "^[ -~]{1,100}$"}
ROLE = one_of("authenticator", "client")
# A line's members; a name ending in ? may be missing.
SHIM = {
    "hello": {
        "shim": {"const": 1},
        "name": LABEL,
        "version?": LABEL,
        "roles?": {"type": "array", "items": ROLE},
        "features?": {"type": "array", "items": one_of("ctap", "timeout", "credential")},
        "operations?": TEXTS,
    },
    "qr": {"text": TEXT},
    "open": {"url": {"type": "string", "pattern": "^wss://[!-.0-~]+/[!-~]*$"}},
    "advert": {"data": HEX},
    "message": {"data": HEX},
    "closed": {"code?": or_null(NUMBER)},
    "ctap": {"data": HEX},
    "end": {"ok": BOOL, "reason?": or_null(TEXT)},
    "result": {"output": OBJECT},
    "error": {"kind?": or_null(TEXT), "reason?": or_null(TEXT)},
    "unsupported": {"reason?": or_null(TEXT)},
}
RUNNER = {
    "start": {"role": ROLE, "qr?": TEXT, "task?": one_of("register", "credential"), "request?": HEX},
    "opened": {"routing_id": or_null(TEXT)},
    "refused": {"status": NUMBER},
    "advert": {"data": HEX},
    "message": {"data": HEX},
    "closed": {"code": or_null(NUMBER)},
    "ctap": {"data": HEX},
    "run": {"operation": TEXT, "input": OBJECT},
}


def line(kind, members):
    return {
        "type": "object",
        "properties": {"type": {"const": kind}} | {name.rstrip("?"): value for name, value in members.items()},
        "required": ["type", *(name for name in members if not name.endswith("?"))],
        "additionalProperties": False,
    }


def schema():
    """`#/$defs/shim` is a line of a shim, `#/$defs/runner` one of the runner."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lines between the conformance runner and a shim, version 1",
        "$defs": {
            "shim": {"oneOf": [line(kind, members) for kind, members in SHIM.items()]},
            "runner": {"oneOf": [line(kind, members) for kind, members in RUNNER.items()]},
        },
        "anyOf": [{"$ref": "#/$defs/shim"}, {"$ref": "#/$defs/runner"}],
    }
