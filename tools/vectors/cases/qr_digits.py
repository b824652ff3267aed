"""Layer qr-digits: PROTOCOL.md 1.2."""

from reference import digits
from reference.curve import seeded

from .case import Layer

RULE = "1.2"


def build():
    layer = Layer("qr-digits", "digits", "The decimal digits of the QR code: 7 bytes to 17 digits, little-endian.")
    encoding(layer)
    limits(layer)
    characters(layer)
    counts(layer)
    ranges(layer)
    return layer


def both(layer, slug, comment, data, **more):
    text = digits.encode(data)
    layer.valid(
        f"encode-{slug}",
        f"{comment}: bytes to digits",
        RULE,
        "digits.encode",
        {"bytes": data},
        {"digits": text},
        **more,
    )
    layer.valid(
        f"decode-{slug}",
        f"{comment}: digits to bytes",
        RULE,
        "digits.decode",
        {"digits": text},
        {"bytes": data},
        **more,
    )


def encoding(layer):
    for count in range(1, 16):
        data = seeded(f"digits/{count}", count)
        both(layer, f"{count}-bytes", f"{count} bytes, a last chunk of {count % 7 or 7}", data)
    for count in (69, 70, 71):
        both(layer, f"{count}-bytes", f"{count} bytes, about an invitation's size", seeded(f"digits/{count}", count))
    both(layer, "little-endian", "the first byte is the least significant", bytes([1, 0, 0, 0, 0, 0, 0]))
    both(layer, "most-significant-last", "the last byte is the most significant", bytes([0, 0, 0, 0, 0, 0, 1]))
    both(
        layer,
        "short-last-chunk",
        "a last chunk of small value is padded with zeros too",
        bytes([9, 9, 9, 9, 9, 9, 9, 5, 0]),
    )
    both(layer, "all-byte-values", "every byte value once", bytes(range(256)))


def limits(layer):
    for count, width in digits.DIGITS_OF_BYTES.items():
        both(
            layer,
            f"largest-{count}-bytes",
            f"the largest value of {count} bytes fills {width} digits",
            b"\xff" * count,
            flags=["boundary"],
        )

    most = digits.MAXIMUM_DIGITS
    layer.valid(
        "decode-most-digits",
        f"{most} digits, as many as the largest QR code holds",
        RULE,
        "digits.decode",
        {"digits": "0" * most},
        {"bytes": digits.decode("0" * most)},
        flags=["boundary"],
        certainty="implied",
    )
    layer.invalid(
        "too-long",
        f"{most + 17} digits: no QR code holds them, so nobody scanned them",
        RULE,
        "digits.decode",
        {"digits": "0" * (most + 17)},
        "too-long",
        certainty="implied",
    )
    layer.invalid(
        "too-long-non-digit",
        "too long is said before the characters are looked at",
        RULE,
        "digits.decode",
        {"digits": "x" * (most + 17)},
        "too-long",
        certainty="implied",
    )


def characters(layer):
    def refuse(slug, text, comment):
        layer.invalid(f"non-digit-{slug}", comment, RULE, "digits.decode", {"digits": text}, "non-digit")

    refuse("plus", "+12", "a plus sign, which number parsers often take")
    refuse("minus", "-12", "a minus sign")
    refuse("leading-space", " 12", "a space in front")
    refuse("trailing-space", "12 ", "a space behind")
    refuse("inner-space", "1 2", "a space inside")
    refuse("newline", "123\n4", "a line feed, as left over from reading a line")
    refuse("nul", "12\u0000", "a zero byte")
    refuse("dot", "1.2", "a decimal point")
    refuse("underscore", "1_2", "an underscore, which some languages allow in numbers")
    refuse("hex-prefix", "0x1", "a hexadecimal prefix")
    refuse("exponent", "1e1", "an exponent")
    refuse("slash", "/12", "the character before 0 in ASCII: what FIDO:// leaves")
    refuse("colon", "12:", "the character after 9 in ASCII")
    refuse("full-width", "１２３", "full-width digits")
    refuse("arabic-indic", "١٢٣", "Arabic-Indic digits")
    refuse("devanagari", "१२३", "Devanagari digits")
    refuse("mathematical", "𝟏𝟐𝟑", "mathematical bold digits, outside the basic plane")
    refuse("superscript", "1²3", "a superscript digit")
    refuse("combining-mark", "1232\u0308", "a digit with a combining mark")
    refuse("zero-width-joiner", "12\u200d3", "an invisible character between digits")
    refuse("second-chunk", "0" * 17 + "+12", "the bad character stands in the last chunk")
    refuse("in-full-chunk", "0" * 16 + "x", "the bad character is the seventeenth")


def counts(layer):
    for tail in range(1, 17):
        if tail in digits.BYTES_OF_DIGITS:
            continue
        layer.invalid(
            f"count-{tail}",
            f"no byte string encodes to {tail} digits",
            RULE,
            "digits.decode",
            {"digits": "0" * tail},
            "digit-count",
        )
        layer.invalid(
            f"count-17-and-{tail}",
            f"one full chunk and a tail of {tail} digits",
            RULE,
            "digits.decode",
            {"digits": "0" * (17 + tail)},
            "digit-count",
        )


def ranges(layer):
    for count, width in digits.DIGITS_OF_BYTES.items():
        first = str(1 << (8 * count)).zfill(width)
        layer.invalid(
            f"range-{count}-first",
            f"2^{8 * count}, the first value that {count} bytes cannot hold",
            RULE,
            "digits.decode",
            {"digits": first},
            "digit-range",
            flags=["boundary"],
        )
        layer.invalid(
            f"range-{count}-nines", f"{width} nines", RULE, "digits.decode", {"digits": "9" * width}, "digit-range"
        )
    layer.invalid(
        "range-second-chunk",
        "the first chunk is good, the tail is too large",
        RULE,
        "digits.decode",
        {"digits": "0" * 17 + "256"},
        "digit-range",
    )
    layer.invalid(
        "range-first-chunk",
        "the first chunk is too large, the tail is good",
        RULE,
        "digits.decode",
        {"digits": str(1 << 56) + "255"},
        "digit-range",
    )
