"""The requests of capture.py, as a page states them: (name, ceremony, options). `@NAME` stands for the ID of the passkey that the
request of that name made."""


def creation(name, **more):
    user = {"id": (name.encode().hex() + "00" * 8)[:16], "name": f"{name}@example.com", "displayName": name.capitalize()}
    return name, "create", {
        "rp": {"name": "Example"}, "user": user, "challenge": CHALLENGE, "pubKeyCredParams": [parameter(-7)], **more}


def request(name, **more):
    return name, "get", {"challenge": CHALLENGE, **more}


def parameter(algorithm, kind="public-key"):
    return {"type": kind, "alg": algorithm}


def passkey(*names):
    return [{"type": "public-key", "id": name} for name in names]


def extension(**inputs):
    return {"extensions": inputs}


CHALLENGE = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8"
SALT, OTHER = "c2FsdA", "b3RoZXIgc2FsdC0_fg"
UNKNOWN = "AAAAAAAAAAAAAAAAAAAAAA"
REQUIRED = {"authenticatorSelection": {"residentKey": "required", "userVerification": "required"}}

REQUESTS = [
    creation("least"),
    creation("most", rp={"id": "localhost", "name": "Example"}, timeout=60000, attestation="none", hints=["hybrid"],
             excludeCredentials=[], attestationFormats=["packed"],
             **{"authenticatorSelection": REQUIRED["authenticatorSelection"] | {
                 "authenticatorAttachment": "cross-platform", "requireResidentKey": True}},
             **extension(credProps=True, prf={"eval": {"first": SALT}}, largeBlob={"support": "preferred"},
                         credentialProtectionPolicy="userVerificationOptional", minPinLength=True)),
    creation("no-algorithm", pubKeyCredParams=[]),
    creation("several-algorithms", pubKeyCredParams=[parameter(-65000), parameter(-7), parameter(-257)]),
    creation("unknown-algorithm", pubKeyCredParams=[parameter(-65000)]),
    creation("unknown-type", pubKeyCredParams=[parameter(-7, "secret-key")]),
    creation("direct", attestation="direct"),
    creation("indirect", attestation="indirect"),
    creation("enterprise", attestation="enterprise"),
    creation("unknown-attestation", attestation="whatever"),
    creation("key-required", **REQUIRED, **extension(credProps=True)),
    creation("key-preferred", authenticatorSelection={"residentKey": "preferred"}, **extension(credProps=True)),
    creation("key-discouraged", authenticatorSelection={"residentKey": "discouraged"}, **extension(credProps=True)),
    creation("key-required-by-level-1", authenticatorSelection={"requireResidentKey": True}, **extension(credProps=True)),
    creation("unverified", authenticatorSelection={"userVerification": "discouraged"}),
    creation("prf", **REQUIRED, **extension(prf={})),
    creation("prf-values", **extension(prf={"eval": {"first": SALT, "second": OTHER}})),
    creation("prf-by-credential", **extension(prf={"evalByCredential": {UNKNOWN: {"first": SALT}}})),
    creation("hmac-secret", **REQUIRED, **extension(hmacCreateSecret=True)),
    creation("blob", **REQUIRED, **extension(largeBlob={"support": "required"})),
    creation("blob-read", **extension(largeBlob={"read": True})),
    creation("protected", **REQUIRED, **extension(
        credentialProtectionPolicy="userVerificationRequired", enforceCredentialProtectionPolicy=True)),
    creation("unknown-policy", **extension(credentialProtectionPolicy="whatever")),
    creation("excluded", excludeCredentials=passkey("@least")),
    creation("not-excluded", excludeCredentials=[{**passkey(UNKNOWN)[0], "transports": ["usb", "hybrid", "whatever"]}]),
    creation("foreign-site", rp={"id": "example.com", "name": "Example"}),
    creation("no-text", user={"id": "a+b/", "name": "a", "displayName": "a"}),
    creation("long-user", user={"id": "A" * 88, "name": "a", "displayName": "a"}),
    creation("long-name", user={"id": "AQID", "name": "n" * 100, "displayName": "\u20ac" * 60}),
    creation("platform", timeout=10000, authenticatorSelection={"authenticatorAttachment": "platform"}),
    request("any"),
    request("one", allowCredentials=passkey("@least"), userVerification="required", timeout=60000, rpId="localhost"),
    request("two", allowCredentials=passkey("@most", UNKNOWN), userVerification="discouraged"),
    request("none-known", allowCredentials=passkey(UNKNOWN)),
    request("unknown-descriptor", allowCredentials=[{"type": "secret-key", "id": UNKNOWN}, *passkey("@most")]),
    request("value", allowCredentials=passkey("@prf"), **extension(prf={"eval": {"first": SALT}})),
    request("values", allowCredentials=passkey("@prf"), **extension(prf={"eval": {"first": SALT, "second": OTHER}})),
    request("value-of-one", allowCredentials=passkey("@prf", "@prf-values"), **extension(
        prf={"eval": {"first": OTHER}, "evalByCredential": {"@prf": {"first": SALT}}})),
    request("value-of-none", allowCredentials=passkey("@least"), **extension(prf={"eval": {"first": SALT}})),
    request("value-without-list", **extension(prf={"evalByCredential": {UNKNOWN: {"first": SALT}}})),
    request("value-outside-list", allowCredentials=passkey("@prf"), **extension(
        prf={"evalByCredential": {UNKNOWN: {"first": SALT}}})),
    request("blob-before", allowCredentials=passkey("@blob"), **extension(largeBlob={"read": True})),
    request("blob-write", allowCredentials=passkey("@blob"), **extension(largeBlob={"write": SALT})),
    request("blob-after", allowCredentials=passkey("@blob"), **extension(largeBlob={"read": True})),
    request("blob-of-none", allowCredentials=passkey("@least"), **extension(largeBlob={"read": True})),
    request("blob-both", allowCredentials=passkey("@blob"), **extension(largeBlob={"read": True, "write": SALT})),
    request("blob-of-two", allowCredentials=passkey("@blob", "@prf"), **extension(largeBlob={"write": SALT})),
    request("blob-support", **extension(largeBlob={"support": "required"})),
    request("unknown-extension", allowCredentials=passkey("@most"), **extension(whatever={"a": 1})),
    request("extension-of-creations", allowCredentials=passkey("@most"), **extension(credProps=True)),
    request("hmac-secret-in", allowCredentials=passkey("@most"), **extension(hmacCreateSecret=True)),
    request("foreign-site-in", rpId="example.com"),
]

# For an authenticator that neither keeps passkeys nor verifies its user.
REQUESTS_FOR_LESS = [
    creation("verification-missing", timeout=10000, authenticatorSelection={"userVerification": "required"}),
    creation("key-missing", timeout=10000, authenticatorSelection={"residentKey": "required", "userVerification": "preferred"}),
    creation("both-preferred", **extension(credProps=True), authenticatorSelection={
        "residentKey": "preferred", "userVerification": "preferred"}),
    creation("blob-missing", timeout=10000, **extension(largeBlob={"support": "required"})),
    creation("prf-missing", **extension(prf={"eval": {"first": SALT}})),
    creation("hmac-secret-missing", **extension(hmacCreateSecret=True)),
    request("verification-missing-in", timeout=10000, allowCredentials=passkey("@both-preferred"), userVerification="required"),
    request("blob-missing-in", allowCredentials=passkey("@both-preferred"), **extension(largeBlob={"write": SALT})),
    request("prf-missing-in", allowCredentials=passkey("@both-preferred"), **extension(prf={"eval": {"first": SALT}})),
]
