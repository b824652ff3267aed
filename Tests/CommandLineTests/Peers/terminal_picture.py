"""Reads the QR code off a picture of a terminal: what at_terminal.py has written, as the terminal looks once the command waits.

terminal_picture.py COLUMNSxLINES dark|light     writes what zbarimg reads
"""

import re
import subprocess
import sys
import tempfile

COLUMNS, LINES = map(int, sys.argv[1].split("x"))
PAPER, INK = (0x18, 0xD0) if sys.argv[2] == "dark" else (0xF8, 0x20)
# Pixels of a character.
WIDTH, HEIGHT = 6, 12
MARGIN = 8

shown = sys.stdin.buffer.read().decode()
# What comes later moves the picture.
end = re.search(r"waiting: for a device[^\n]*\n", shown)
assert end, f"the command does not wait: {shown}"

screen = [[(" ", INK, PAPER)] * COLUMNS for _ in range(LINES)]
row = column = 0
ink, paper, is_reversed = INK, PAPER, False


def feed():
    global row
    row += 1
    if row == LINES:
        screen.pop(0)
        screen.append([(" ", INK, PAPER)] * COLUMNS)
        row -= 1


for sequence, character in re.findall(r"\x1b\[([\d;]*)m|([^\x1b])", shown[: end.end()]):
    if not character:
        match sequence:
            case "0" | "":
                ink, paper, is_reversed = INK, PAPER, False
            case "7":
                is_reversed = True
            case "27":
                is_reversed = False
            case "38;5;16;48;5;231":
                ink, paper = 0x00, 0xFF
    elif character == "\r":
        column = 0
    elif character == "\n":
        feed()
    else:
        if column == COLUMNS:
            column = 0
            feed()
        screen[row][column] = (character, *((paper, ink) if is_reversed else (ink, paper)))
        column += 1


def pixel(cell, y):
    character, ink, paper = cell
    upper = y < HEIGHT // 2
    if character == "▀":
        return [ink if upper else paper] * WIDTH
    if character == "▄":
        return [paper if upper else ink] * WIDTH
    if character in " ":
        return [paper] * WIDTH
    # A letter, as far as a reader of codes minds.
    return [paper] + [ink if 2 < y < HEIGHT - 3 and (x + y) % 3 else paper for x in range(WIDTH - 2)] + [paper]


rows = [[PAPER] * (COLUMNS * WIDTH + 2 * MARGIN)] * MARGIN
for line in screen:
    for y in range(HEIGHT):
        pixels = [value for cell in line for value in pixel(cell, y)]
        rows.append([PAPER] * MARGIN + pixels + [PAPER] * MARGIN)
rows += rows[:MARGIN]
with tempfile.NamedTemporaryFile(suffix=".pgm") as file:
    file.write(f"P5 {len(rows[0])} {len(rows)} 255\n".encode() + b"".join(map(bytes, rows)))
    file.flush()
    read = subprocess.run(["zbarimg", "-q", "--raw", "-Sdisable", "-Sqrcode.enable", file.name], capture_output=True, text=True)
print(read.stdout)
sys.exit(read.returncode)
