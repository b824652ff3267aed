"""Shim of cbor2, from PyPI: its CBOR. It is no strict reader: what it takes is held against what it writes."""
import sys

import cbor2
import lines


def canonical(cbor):
    data = bytes.fromhex(cbor)
    if cbor2.dumps(cbor2.loads(data), canonical="wrong" not in sys.argv) != data:
        raise ValueError("not as it would be written")
    return {"cbor": cbor}


lines.serve("cbor2", {"cbor.canonical": canonical})
