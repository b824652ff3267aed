"""What the shims in Python share: operations by name, over lines of JSON on standard input and output."""
import json
import sys


class Unsupported(Exception):
    """An input that the library has nothing for."""


def serve(name, operations):
    """Answers each operation with what its function makes of the input's members, or with what it raises."""
    say = lambda **line: print(json.dumps(line), flush=True)
    say(type="hello", shim=1, name=name, roles=[], features=[], operations=list(operations))
    for line in filter(lambda line: line["type"] == "run", map(json.loads, sys.stdin)):
        try:
            say(type="result", output=operations[line["operation"]](**line["input"]))
        except Unsupported as reason:
            say(type="unsupported", reason=str(reason))
        except Exception as error:
            say(type="error", reason=repr(error)[:200])
