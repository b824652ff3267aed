"""Types the commands of the README's section "Three terminals" as they stand, at ports that nobody uses.

readme.py TUNNEL-PORT RADIO-PORT     writes what the authenticator's terminal shows, and what the clients print
"""

import pathlib
import re
import signal
import subprocess
import sys

from terminal import Terminal

# The first that is shown: before a code is asked for, nothing is said of verification, or of a vault.
PROMPT = rb"^paste the text of the QR code \(FIDO:/\xe2\x80\xa6\), then press Enter: "
README = pathlib.Path(__file__).parents[3] / "README.md"
section = README.read_text().split("## Three terminals")[1].split("\n## ")[0]
section = section.replace("8443", sys.argv[1]).replace("9999", sys.argv[2])
blocks = re.findall(r"(?:^    .*\n)+", section, re.M)
service_command, register, answer, sign_in = [re.sub(r"\\\n +", "", block).strip() for block in blocks]
made = b""


def prompted(code):
    """What is typed at the authenticator's terminal; the passphrase is made by the first answer."""
    answers = [
        (PROMPT, lambda _: code),
        (rb"a passphrase for your new vault[^\n]*: ", lambda _: b""),
        (rb"(?s)((?:[a-z2-9]{4}-){3}[a-z2-9]{4}).*then press Enter: ", lambda _: b""),
    ] if not made else [(PROMPT, lambda _: code), (rb"passphrase of the vault: ", lambda _: made)]
    answers.append((rb"approve\? \[y/n\] ", lambda _: b"y"))

    def react(shown):
        global made
        if answers and (match := re.search(answers[0][0], shown)):
            typed = answers.pop(0)[1](match)
            made = match[1] if match.groups() else made
            shown = shown[match.end():]
            (terminal.write_yes if typed == b"y" else terminal.write_line)(typed)
        return shown

    return react


service = subprocess.Popen(
    f"exec {service_command} --listen 127.0.0.1:{sys.argv[1]}", shell=True, stderr=subprocess.PIPE, text=True)
assert any("hybrid authenticator answer" in line for line in service.stderr)
for command in (register, sign_in):
    client = subprocess.Popen(f"exec {command}", shell=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    code = client.stdout.readline().strip()
    terminal = Terminal(["bash", "-c", f"exec {answer}"], 200, 50)
    assert terminal.run(prompted(code.encode())) == 0
    print(client.communicate()[0])
    assert client.returncode == 0
service.send_signal(signal.SIGINT)
sys.exit(0 if service.wait() in (0, 130) else 1)
