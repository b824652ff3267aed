"""The contrast of texts on a picture of the screen (WCAG 2.2, success criterion 1.4.3)."""
from collections import Counter

# The least contrast of a text with what is behind it; large texts could have less.
LEAST = 4.5


def read(path):
    """The rows of a picture in PPM (P6, 8 bits), each a list of (red, green, blue)."""
    with open(path, "rb") as file:
        header = [file.readline() for _ in range(3)]
        width, height = map(int, header[1].split())
        assert header[0] == b"P6\n" and header[2] == b"255\n", header
        data = file.read()
    pixels = list(zip(data[0::3], data[1::3], data[2::3]))
    return [pixels[row * width:(row + 1) * width] for row in range(height)]


def luminance(colour):
    """Relative luminance of a colour in sRGB, from 0 to 1."""
    parts = [value / 255 / 12.92 if value / 255 <= 0.04045 else ((value / 255 + 0.055) / 1.055) ** 2.4 for value in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def ratio(one, other):
    """Contrast ratio of two colours, from 1 to 21."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def of_text(picture, box):
    """The contrast of the text in a box: of the colour that stands out most, with the most common one. None if the box is not on it."""
    x, y, width, height = box
    if width <= 0 or height <= 0 or x < 0 or y < 0 or y + height > len(picture) or x + width > len(picture[0]):
        return None
    colours = Counter(colour for row in picture[y:y + height] for colour in row[x:x + width])
    behind = colours.most_common(1)[0][0]
    return max(ratio(colour, behind) for colour in colours)
