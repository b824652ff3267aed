"""Puts mutants into Swift and C as switches, so that one build has all of them: the innermost function around a mutation gets a second body, or
the property a second value, which holds when the environment's MUTANT is the mutant's number."""
import collections
import os.path
import re

# What every module with a switch gets besides.
SOURCE = """private import Glibc

enum Mutants {
    static let active = getenv("MUTANT").map { atoi($0) } ?? -1
}
"""
# What every file of C with a switch begins with.
C_SOURCE = """#define _GNU_SOURCE
#include <stdlib.h>

static int active_mutant(void) {
    const char *text = getenv("MUTANT");
    return text ? atoi(text) : -1;
}
"""
# The beginnings of the functions of a file of C.
C_FUNCTION = re.compile(r"^\w[\w *]*\([^;{}]*\) \{", re.M)
# Comments and literals, of which a literal may have expressions.
OPAQUE = re.compile(r'//[^\n]*|"""(?s:.)*?"""|"(?:\\\((?:[^()"\n]|"[^"\n]*"|\((?:[^()\n]|\([^()\n]*\))*\))*\)|\\.|[^"\\\n])*"')
MODIFIERS = r"(?:@\w+(?:\([^)\n]*\))? |\w+(?:\(\w+\))? )*"
FUNCTION = re.compile(rf"^ *{MODIFIERS}(?:(?:func|init|deinit|subscript)\b(?:[^{{]|\{{ _(?:, _)* in \}})*|var \w+[^={{\n]*|(?:get|set) )\{{(?! _(?:, _)* in \}})", re.M)
VALUE = re.compile(rf"^( *){MODIFIERS}(?:let|var) [^={{\n]*= ", re.M)

Place = collections.namedtuple("Place", "start end is_body")


def switched(text, mutants, is_c=False):
    """The text with mutants, each a number, what stands there once, and what is put there instead; one may have several such edits."""
    active = "active_mutant()" if is_c else "Mutants.active"
    bare = OPAQUE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    places = collections.defaultdict(list)
    for number, found, put in mutants:
        # What differs alone: a declaration around it may not be in a body.
        before = len(os.path.commonprefix([found, put]))
        behind = len(os.path.commonprefix([found[before:][::-1], put[before:][::-1]]))
        start, end = text.index(found) + before, text.index(found) + len(found) - behind
        places[place_around(bare, start, end, number, C_FUNCTION if is_c else FUNCTION)].append((number, start, end, put[before:len(put) - behind]))
    # One body may stand in another's.
    for inner in sorted(places, key=lambda place: place.end - place.start):
        outer = next((other for other in places if other != inner and other.start <= inner.start and inner.end <= other.end), None)
        if outer:
            places[outer] += places.pop(inner)
    for place in sorted(places, reverse=True):
        original = text[place.start:place.end]
        copies = []
        for number in dict.fromkeys(edit[0] for edit in places[place]):
            copy = original
            for _, start, end, put in sorted((edit for edit in places[place] if edit[0] == number), reverse=True):
                copy = copy[:start - place.start] + put + copy[end - place.start:]
            copies.append((number, copy))
        if place.is_body:
            changed = " " + "".join(f"if ({active} == {number}) {{{copy}}} else " for number, copy in copies) + f"{{{original}}} "
        else:
            changed = "".join(f"{active} == {number} ? ({copy}) : " for number, copy in copies) + f"({original})"
        text = text[:place.start] + changed + text[place.end:]
    return C_SOURCE + text if is_c else text


def place_around(bare, start, end, number, function):
    """The innermost body of a function around a piece, or the value of the property in which it stands."""
    for found in reversed(list(function.finditer(bare, 0, end))):
        place = Place(found.end(), end_of_block(bare, found.end()), True)
        if place.start <= start and end <= place.end and not re.match(r"\s*(get|set|_read|_modify)\b", bare[place.start:place.end]):
            return place
    for found in reversed(list(VALUE.finditer(bare, 0, end))):
        place = Place(found.end(), end_of_value(bare, found.end(), len(found[1])), False)
        if place.start <= start and end <= place.end:
            return place
    raise ValueError(f"mutant {number} stands neither in the body of a function nor in the value of a property")


def end_of_block(bare, start):
    depth = 1
    for at in range(start, len(bare)):
        depth += {"{": 1, "}": -1}.get(bare[at], 0)
        if depth == 0:
            return at
    return start


def end_of_value(bare, start, indentation):
    """Where an expression ends: before the first line that stands no deeper, and not inside brackets."""
    depth = 0
    for at in range(start, len(bare)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(bare[at], 0)
        if bare[at] == "\n" and depth <= 0:
            following = re.match(r"(?: *\n)*( *)", bare[at + 1:])[1]
            if len(following) <= indentation:
                return at
    return len(bare)
