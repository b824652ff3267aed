"""A bus that answers the authentication with the text it is given, and then waits.

Arguments: unix or tcp, and the reply with its escapes.
"""
import socket
import sys
import tempfile

kind, reply = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    if kind == "unix":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{folder}/bus")
        address = f"unix:path={folder}/bus"
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        address = f"tcp:host=127.0.0.1,port={listener.getsockname()[1]}"
    listener.listen()
    print(address, flush=True)
    while True:
        client, _ = listener.accept()
        said = b""
        while not said.endswith(b"BEGIN\r\n"):
            said += client.recv(4096) or sys.exit()
        client.sendall(reply.encode().decode("unicode_escape").encode())
        # Until the client closes.
        while client.recv(4096):
            pass
