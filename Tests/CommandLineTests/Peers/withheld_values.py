"""Checks that what `hybrid inspect --json` has told of a capture is without the link secret and a value of prf.

withheld_values.py JSON DECRYPTED VALUE: the value in base64url, which the file for Wireshark has.
"""
import base64
import json
import sys

told, decrypted, text = sys.argv[1:]
value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
assert value in open(decrypted, "rb").read(), "the value was not in the session"
everything = open(told).read()
for form in (text, value.hex(), value.hex().upper(), base64.b64encode(value).decode()):
    assert form not in everything, "the value was told"
messages = [event for event in map(json.loads, everything.splitlines()) if event["event"] == "message"]
silent = [message["kind"] for message in messages if "bytes" not in message]
print(f"{silent.count('update')} update and {silent.count('ctap')} response without bytes, {len(messages) - len(silent)} messages with them")
