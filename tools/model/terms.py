"""Terms: tuples ("name", argument, …); a str is a variable. No function has an inverse but those that clauses give it."""


def fn(name):
    """A function of the model, by its name."""
    return lambda *arguments: (name, *arguments)


# P-256: a private key is any secret; its public key; the X coordinate of an agreement.
public, agree = fn("public"), fn("agree")
# HKDF by purpose (HT-KEY-1), hashing, MAC and signature.
derive, mac, sign, digest = fn("derive"), fn("mac"), fn("sign"), fn("digest")
# The advert's seal (HT-ADV-6, HT-ADV-7), a handshake's tag over no payload (HT-HS-10), a frame (HT-FRM-10).
seal, tag, frame = fn("seal"), fn("tag"), fn("frame")
NONE, EVIL = ("none",), ("evil",)


def show(term):
    """A term in TPTP, which is also ProVerif's form of it."""
    if isinstance(term, str):
        return term
    name, *arguments = term
    return f"{name}({','.join(map(show, arguments))})" if arguments else name


def variables(term):
    """The variables of a term, in their order."""
    if isinstance(term, str):
        return [term]
    return list(dict.fromkeys(name for argument in term[1:] for name in variables(argument)))


def functions(term, into):
    """Adds the functions of a term, with their numbers of arguments."""
    if not isinstance(term, str):
        into.add((term[0], len(term) - 1))
        for argument in term[1:]:
            functions(argument, into)


def replace(term, values):
    """The term with variables replaced."""
    if isinstance(term, str):
        return values.get(term, term)
    return (term[0], *(replace(argument, values) for argument in term[1:]))
