internal import CBOR
internal import HybridProtocol
internal import TestVectors

// Sessions with digital credentials (PROTOCOL.md 7.2).

extension SessionCases {
    /// The first message of an authenticator without CTAP.
    private var firstWithoutCTAP: SessionStep {
        let first: CBORValue = [3: ["dc"]]
        return .phone(first.encoded())
    }

    private static let presentation = json(
        #"{"origin":"https://verifier.example","request":{"digital":{"requests":[{"data":{"nonce":"bm9uY2U"},"#
            + #""protocol":"openid4vp-v1-unsigned"}]}},"requestType":"credential.get"}"#)
    private static let issuance = json(
        #"{"origin":"https://issuer.example","request":{"digital":{}},"requestType":"credential.create"}"#)
    private static let credential = json(
        #"{"response":{"digital":{"data":{"vp_token":"eyJ"},"protocol":"openid4vp-v1-unsigned"}}}"#)
    private static let noCredential = json(#"{"response":{"digital":{"error":"NO_CREDENTIAL"}}}"#)

    mutating func addDigitalCredentials() throws {
        let first = SessionStep.phone(messages.firstWithCredentials)
        let (request, reply) = (SessionStep.client(Self.presentation), SessionStep.phone(Self.credential))
        let (none, shutdown) = (SessionStep.phone(Self.noCredential), SessionStep.client(messages.shutdown))
        try play("presented", "a credential is presented", steps: [first, request, reply, shutdown])
        try play(
            "issued", "a credential is issued", steps: [first, .client(Self.issuance), reply, shutdown],
            hint: .digitalCredentialIssuance)
        try play("none", "the phone has none", steps: [first, request, none, shutdown])
        try play("only", "a phone without CTAP", steps: [firstWithoutCTAP, request, reply, shutdown])
        try play(
            "and-ctap", "JSON, CTAP, JSON, each with its answer",
            steps: [first, request, reply, .client(messages.request), .phone(messages.reply), request, none])
        try play(
            "utf-8", "JSON beyond ASCII",
            steps: [first, .client(Self.json(#"{"n":"Zoë 𝄞"}"#)), .phone(Self.json(#""ü""#))])
        let long = #"{"response":{"digital":{"data":""# + String(repeating: "x", count: 10_000) + #""}}}"#
        try play("long", "an answer of 10 KB", steps: [first, request, .phone(Self.json(long))])
        let reversed: CBORValue = [1: .bytes(messages.info), 3: ["dc", "ctap", "x"]]
        try accept(
            .client, "credential-order", "features in another order, as microG sends them, and an unknown one",
            rule: "7.1", session: session("credential/order", saying: [.phone(reversed.encoded()), request, reply]),
            flags: [.foreign])
        try addNotOffered()
    }

    private mutating func play(
        _ slug: String, _ comment: String, steps: [SessionStep],
        hint: RequestHint = .digitalCredentialPresentation
    ) throws {
        try acceptBoth("credential-\(slug)", comment, session: session("credential/\(slug)", hint: hint), steps: steps)
    }

    private static func json(_ text: String) -> [UInt8] { MessageType.json.message(text) }
}

// Types that the session did not offer, and JSON that is none.

extension SessionCases {
    private mutating func addNotOffered() throws {
        let first = SessionStep.phone(messages.first)
        let dcFirst = SessionStep.phone(messages.firstWithCredentials)
        let (request, reply) = (SessionStep.client(Self.presentation), SessionStep.phone(Self.credential))
        try refuseOrder(
            .authenticator, "ctap", "CTAP, though the phone offers JSON only",
            steps: [firstWithoutCTAP, .client(messages.request)])
        try refuseOrder(.client, "json", "JSON from a phone that offers CTAP only", steps: [first, reply])
        try refuseOrder(.client, "json-unasked", "JSON that nobody asked for", steps: [dcFirst, reply])
        try refuse(
            .client, "json-empty", "JSON of no bytes", steps: [dcFirst, request, .phone(Self.json(""))],
            failure: "empty")
        let latin1 = MessageType.json.message([0x22, 0xE4, 0x22])
        try refuse(
            .client, "json-latin-1", "JSON that is not UTF-8", steps: [dcFirst, request, .phone(latin1)],
            failure: "invalid-text")
        try refuseOrder(.authenticator, "json-second", "a second JSON request", steps: [dcFirst, request, request])
        let cut = MessageType.json.message([0x22, 0xE2, 0x82])
        try refuse(
            .authenticator, "json-cut", "a request cut within a character", steps: [dcFirst, .client(cut)],
            failure: "invalid-text")
        let contradiction: CBORValue = [1: .bytes([0xA0]), 3: ["dc"]]
        try refuse(
            .client, "no-info", "a phone that says dc and sends getInfo", steps: [.phone(contradiction.encoded())],
            failure: "feature-mismatch")
    }

    private mutating func refuseOrder(
        _ side: SessionSide, _ slug: String, _ comment: String, steps: [SessionStep]
    ) throws {
        try refuse(side, slug, comment, steps: steps, failure: "unexpected-message", flags: [.order])
    }

    private mutating func refuse(
        _ side: SessionSide, _ slug: String, _ comment: String, steps: [SessionStep], failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try refuse(
            side, "not-offered-\(slug)", comment, rule: "7.2", session: session("not-offered/\(slug)", saying: steps),
            failure: failure,
            flags: flags)
    }
}
