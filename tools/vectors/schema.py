"""The JSON schemas, made from tables.py and operations.py."""

from operations import FIELD, LAYERS, LINK, OPERATIONS, PASSKEY_EXCHANGE
from tables import CERTAINTIES, FAILURES, FLAGS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSION = 5
# The IDs of rules, by the folder whose cases cite them; then of all rules.
RULES = {FIELD: "^HT-[A-Z]+-[1-9][0-9]*$", PASSKEY_EXCHANGE: "^PX-[A-Z]+-[1-9][0-9]*$"}
RULE = "^(HT|PX|TS)-[A-Z]+-[1-9][0-9]*$"
HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
FRAME = {
    "type": "object",
    "properties": {"sender": {"enum": ["client", "authenticator"]}, "plaintext": HEX, "frame": HEX},
    "required": ["sender"],
    "oneOf": [{"required": ["plaintext"]}, {"required": ["frame"]}],
    "additionalProperties": False,
}
LINK_OBJECT = {
    "type": "object",
    "properties": {name: {"type": "string"} if kind == "text" else HEX for name, kind in LINK.items()}
    | {"domain_id": {"type": "integer", "minimum": 0}},
    "required": [*LINK, "domain_id"],
    "additionalProperties": False,
}
# One thing that happens to a device, at a time in milliseconds: a report of the host, what the authenticator has to say about a
# request, the end of the last program that had the device open, or nothing but time.
NUMBER = {"type": "integer", "minimum": 0}
STEP = {
    "type": "object",
    "properties": {
        "time": NUMBER,
        "report": HEX,
        "request": NUMBER,
        "response": HEX,
        "status": NUMBER,
        "closed": {"const": True},
    },
    "required": ["time"],
    "dependentRequired": {"response": ["request"], "status": ["request"]},
    "oneOf": [
        {"required": ["report"], "maxProperties": 2},
        {"required": ["request", "response"], "maxProperties": 3},
        {"required": ["request", "status"], "maxProperties": 3},
        {"required": ["closed"], "maxProperties": 2},
        {"maxProperties": 1},
    ],
    "additionalProperties": False,
}
# What a device does then, in this order, and when it wants to be told of the time at the latest.
ACTION = {
    "type": "object",
    "properties": {
        "report": HEX,
        "request": NUMBER,
        "channel": NUMBER,
        "payload": HEX,
        "cancel": NUMBER,
        "abandon": NUMBER,
        "wink": {"const": True},
    },
    "oneOf": [
        {"required": ["request", "channel", "payload"], "maxProperties": 3},
        *({"required": [name], "maxProperties": 1} for name in ("report", "cancel", "abandon", "wink")),
    ],
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "properties": {
        "actions": {"type": "array", "items": ACTION},
        "deadline": {"anyOf": [NUMBER, {"type": "null"}]},
    },
    "required": ["actions", "deadline"],
    "additionalProperties": False,
}
TYPES = {
    "hex": HEX,
    "link": LINK_OBJECT,
    "text": {"type": "string"},
    "integer": {"type": "integer", "minimum": 0},
    "boolean": {"type": "boolean"},
    "hexes": {"type": "array", "items": HEX},
    "texts": {"type": "array", "items": {"type": "string"}},
    "integers": {"type": "array", "items": {"type": "integer", "minimum": 0}},
    "frames": {"type": "array", "items": FRAME},
    "steps": {"type": "array", "items": STEP},
    "results": {"type": "array", "items": RESULT},
}


def of_type(name):
    alternatives = [{"type": "null"} if part == "null" else TYPES[part] for part in name.split("|")]
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def of_fields(fields):
    return {
        "type": "object",
        "properties": {name.rstrip("?"): of_type(kind) for name, kind in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
        "additionalProperties": False,
    }


def of_operation(name):
    _, inputs, outputs, comment = OPERATIONS[name]
    return {
        "if": {"properties": {"operation": {"const": name}}},
        "then": {"description": comment, "properties": {"input": of_fields(inputs), "expected": of_fields(outputs)}},
    }


def of_case(layer, folder):
    names = [name for name, row in OPERATIONS.items() if row[0] == layer]
    return {
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                "description": "unique over all files, and stable",
            },
            "comment": {"type": "string", "minLength": 1, "description": "the subject of the case"},
            "operation": {"enum": names},
            "rule": {"type": "string", "pattern": RULES[folder], "description": "the rule of rules.json that the case is about"},
            "certainty": {"enum": list(CERTAINTIES)},
            "source": {"type": "string", "description": "where the number was published or recorded"},
            "flags": {"type": "array", "items": {"enum": list(FLAGS)}, "minItems": 1, "uniqueItems": True},
            "input": {"type": "object"},
            "result": {"enum": ["valid", "invalid"]},
            "expected": {"type": "object"},
            "failure": {"enum": list(FAILURES)},
        },
        "required": ["id", "comment", "operation", "rule", "certainty", "input", "result"],
        "additionalProperties": False,
        "allOf": [of_operation(name) for name in names],
        "oneOf": [
            {"properties": {"result": {"const": "valid"}, "failure": False}, "required": ["expected"]},
            {"properties": {"result": {"const": "invalid"}, "expected": False}, "required": ["failure"]},
        ],
    }


def of_layer(layer, folder):
    return {
        "$schema": DIALECT,
        "title": f"Test vectors of the layer {layer}",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "layer": {"const": layer},
            "version": {"const": VERSION},
            "about": {"type": "string"},
            "cases": {"type": "array", "items": of_case(layer, folder)},
        },
        "required": ["layer", "version", "about", "cases"],
        "additionalProperties": False,
    }


def of_index(folder):
    count = {"type": "integer", "minimum": 0}
    row = {
        "file": {"type": "string"},
        "layer": {"enum": list(LAYERS[folder])},
        "about": {"type": "string"},
        "cases": count,
        "valid": count,
        "invalid": count,
    }
    return {
        "$schema": DIALECT,
        "title": "The files of this directory",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "version": {"const": VERSION},
            "cases": count,
            "files": {
                "type": "array",
                "items": {"type": "object", "properties": row, "required": list(row), "additionalProperties": False},
            },
        },
        "required": ["version", "cases", "files"],
        "additionalProperties": False,
    }


def of_rules():
    rule = {
        "id": {"type": "string", "pattern": RULE, "description": "stable; never used again for another rule"},
        "strength": {"enum": ["MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"]},
        "sentence": {"type": "string", "minLength": 1},
        "certainty": {"enum": list(CERTAINTIES)},
        "editions": {
            "type": "array", "items": {"enum": ["2.2", "2.3"]}, "uniqueItems": True,
            "description": "those of CTAP that have the rule; none for inventions of this project",
        },
        "sources": {"type": "string", "description": "by the keys of the reference's article Sources"},
        "article": {"type": "string", "description": "the article of the reference in which the rule stands"},
    }
    return {
        "$schema": DIALECT,
        "title": "The rules of the protocol reference, or of a protocol of this project's own",
        "type": "object",
        "properties": {
            "$schema": {"type": "string"},
            "version": {"type": "integer", "minimum": 5},
            "rules": {
                "type": "array",
                "items": {"type": "object", "properties": rule, "required": list(rule), "additionalProperties": False},
            },
        },
        "required": ["version", "rules"],
        "additionalProperties": False,
    }
