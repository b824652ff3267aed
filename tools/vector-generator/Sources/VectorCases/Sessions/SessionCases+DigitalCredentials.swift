internal import Conformance
internal import Encodings
internal import HybridProtocol

// Sessions with digital credentials (the article DigitalCredentials of HybridProtocol).

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
        try play(
            "presented", "a credential is presented", rule: "HT-DC-9", steps: [first, request, reply, shutdown])
        try play(
            "issued", "a credential is issued", rule: "HT-DC-1",
            steps: [first, .client(Self.issuance), reply, shutdown], hint: .digitalCredentialIssuance)
        try play("none", "the phone has none", rule: "HT-DC-27", steps: [first, request, none, shutdown])
        try play(
            "only", "a phone without CTAP", rule: "HT-DC-6", steps: [firstWithoutCTAP, request, reply, shutdown])
        try play(
            "and-ctap", "JSON, CTAP, JSON, each with its answer", rule: "HT-DC-40",
            steps: [first, request, reply, .client(messages.request), .phone(messages.reply), request, none])
        try play(
            "utf-8", "JSON beyond ASCII", rule: "HT-DC-9",
            steps: [first, .client(Self.json(#"{"n":"Zoë 𝄞"}"#)), .phone(Self.json(#""ü""#))])
        let long = #"{"response":{"digital":{"data":""# + String(repeating: "x", count: 10_000) + #""}}}"#
        try play("long", "an answer of 10 KB", rule: "HT-DC-9", steps: [first, request, .phone(Self.json(long))])
        let reversed: CBORValue = [1: .bytes(messages.info), 3: ["dc", "ctap", "x"]]
        try accept(
            .client, "credential-order", "features in another order, as microG sends them, and an unknown one",
            rule: "HT-MSG-9",
            session: session("credential/order", saying: [.phone(reversed.encoded()), request, reply]),
            flags: [.foreign])
        try addNotOffered()
    }

    private mutating func play(
        _ slug: String, _ comment: String, rule: String, steps: [SessionStep],
        hint: RequestHint = .digitalCredentialPresentation
    ) throws {
        let session = try session("credential/\(slug)", hint: hint, saying: steps)
        try accept(
            .authenticator, "credential-\(slug)", "\(comment); the phone's side", rule: rule, session: session)
        try accept(.client, "credential-\(slug)", "\(comment); the client's side", rule: rule, session: session)
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
            .authenticator, "ctap", "CTAP, though the phone offers JSON only", rule: "HT-DC-8",
            steps: [firstWithoutCTAP, .client(messages.request)])
        try refuseOrder(
            .client, "json", "JSON from a phone that offers CTAP only", rule: "HT-MSG-23", steps: [first, reply])
        try refuseOrder(
            .client, "json-unasked", "JSON that nobody asked for", rule: "HT-MSG-23", steps: [dcFirst, reply])
        try refuse(
            .client, "json-empty", "JSON of no bytes", rule: "HT-DC-13",
            steps: [dcFirst, request, .phone(Self.json(""))], failure: "empty")
        let latin1 = MessageType.json.message([0x22, 0xE4, 0x22])
        try refuse(
            .client, "json-latin-1", "JSON that is not UTF-8", rule: "HT-DC-12",
            steps: [dcFirst, request, .phone(latin1)], failure: "invalid-text")
        try refuseOrder(
            .authenticator, "json-second", "a second JSON request", rule: "HT-MSG-21",
            steps: [dcFirst, request, request])
        let cut = MessageType.json.message([0x22, 0xE2, 0x82])
        try refuse(
            .authenticator, "json-cut", "a request cut within a character", rule: "HT-DC-12",
            steps: [dcFirst, .client(cut)], failure: "invalid-text")
        let contradiction: CBORValue = [1: .bytes([0xA0]), 3: ["dc"]]
        try refuse(
            .client, "no-info", "a phone that says dc and sends getInfo", rule: "HT-MSG-8",
            steps: [.phone(contradiction.encoded())], failure: "feature-mismatch")
    }

    private mutating func refuseOrder(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, steps: [SessionStep]
    ) throws {
        try refuse(side, slug, comment, rule: rule, steps: steps, failure: "unexpected-message", flags: [.order])
    }

    private mutating func refuse(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, steps: [SessionStep], failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try refuse(
            side, "not-offered-\(slug)", comment, rule: rule, session: session("not-offered/\(slug)", saying: steps),
            failure: failure, flags: flags)
    }
}
