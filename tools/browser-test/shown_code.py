"""The command of one conformance case: writes the code that the browser shows, and ends with 0 if the page got a credential."""
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as listener:
    listener.connect(sys.argv[1])
    told = listener.makefile()
    print(told.readline(), end="", flush=True)
    outcome = told.readline().strip()
print(outcome, flush=True)
if outcome == "crashed":
    os.abort()
sys.exit(0 if outcome == "credential" else 1)
