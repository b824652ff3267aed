internal import Conformance
internal import HybridProtocol

// Sessions that go wrong at their last frame, with the refusal that must follow (the articles Framing and Messages of
// HybridProtocol).

extension SessionCases {
    mutating func addRefused() throws {
        try refuseFirstMessages()
        try refuseReplies()
        try refuseTypes()
        try refuseRequests()
        try refuseFrames()
    }

    private mutating func refuseFirstMessages() throws {
        try refuseLast(
            .client, "first-message-typed", "the first message carries a type byte", rule: "HT-MSG-2",
            steps: [.phone(MessageType.ctap.message(messages.first))], failure: "invalid-cbor")
        try refuseLast(
            .client, "first-message-no-info", "the first message lacks getInfo", rule: "HT-MSG-7",
            steps: [.phone([0xA0])], failure: "feature-mismatch")
    }

    private mutating func refuseReplies() throws {
        let (first, request, reply) = (messages.first, messages.request, messages.reply)
        let dcFirst = messages.firstWithCredentials
        func refuse(_ slug: String, _ comment: String, rule: String, _ steps: [SessionStep]) throws {
            try refuseLast(
                .client, slug, comment, rule: rule, steps: steps, failure: "unexpected-message", flags: [.order])
        }
        try refuse(
            "unasked-reply", "a CTAP message before any request", rule: "HT-MSG-23", [.phone(first), .phone(reply)])
        try refuse(
            "second-reply", "two replies to one request", rule: "HT-MSG-23",
            [.phone(first), .client(request), .phone(reply), .phone(reply)])
        try refuse(
            "json-reply-to-ctap", "a reply of another type than the request", rule: "HT-MSG-24",
            [.phone(dcFirst), .client(request), .phone(messages.jsonReply)])
        try refuse(
            "ctap-reply-to-json", "likewise, the other way round", rule: "HT-MSG-25",
            [.phone(dcFirst), .client(messages.jsonRequest), .phone(reply)])
    }

    private mutating func refuseTypes() throws {
        let (first, request) = (messages.first, messages.request)
        let unknown: [UInt8] = [0x04, 0xA0]
        try refuseLast(
            .client, "unknown-type", "a message of type 4", rule: "HT-MSG-17",
            steps: [.phone(first), .client(request), .phone(unknown)], failure: "unknown-type")
        try refuseLast(
            .client, "empty-message", "a frame that holds only padding", rule: "HT-MSG-18",
            steps: [.phone(first), .client(request), .phone([])], failure: "empty")
        try refuseLast(
            .authenticator, "unknown-type", "a message of type 4", rule: "HT-MSG-17",
            steps: [.phone(first), .client(unknown)], failure: "unknown-type")
        try refuseLast(
            .authenticator, "empty-message", "a frame that holds only padding", rule: "HT-MSG-18",
            steps: [.phone(first), .client([])], failure: "empty")
    }

    private mutating func refuseRequests() throws {
        let (first, request) = (messages.first, messages.request)
        try refuseLast(
            .authenticator, "shutdown-with-payload", "shutdown with a payload", rule: "HT-MSG-33",
            steps: [.phone(first), .client(MessageType.shutdown.message([0x01]))], failure: "non-empty-payload")
        try refuseLast(
            .authenticator, "second-request", "a second request before the reply", rule: "HT-MSG-20",
            steps: [.phone(first), .client(request), .client(request)], failure: "unexpected-message", flags: [.order])
        try refuseLast(
            .authenticator, "json-not-offered", "a JSON request, though the phone offers CTAP only", rule: "HT-DC-5",
            steps: [.phone(first), .client(messages.jsonRequest)], failure: "unexpected-message", flags: [.order])
        try refuseLast(
            .client, "update-not-a-map", "an update whose payload is an array", rule: "HT-MSG-46",
            steps: [.phone(first), .phone(MessageType.update.message([0x80]))], failure: "not-a-map")
    }

    /// Frames that are not as their sender sealed them.
    private mutating func refuseFrames() throws {
        let (first, request) = (SessionStep.phone(messages.first), SessionStep.client(messages.request))
        let (reply, update) = (SessionStep.phone(messages.reply), SessionStep.phone(messages.update))
        try refuseFrame(
            .authenticator, "bit-flip", "one bit of the request flipped", rule: "HT-FRM-20", steps: [first, request],
            failure: "bad-tag", flags: [.tamper]
        ) { $0[1].flippingLowestBit(ofByte: 0) }
        try refuseFrame(
            .client, "bit-flip", "one bit of the reply flipped", rule: "HT-FRM-20", steps: [first, request, reply],
            failure: "bad-tag", flags: [.tamper]
        ) { $0[2].flippingLowestBit(ofByte: 0) }
        try refuseFrame(
            .authenticator, "reflected", "the phone's own first frame comes back", rule: "HT-FRM-19",
            steps: [first, request], failure: "bad-tag", flags: [.order]
        ) { $0[0] }
        try refuseFrame(
            .client, "reflected", "the client's own request comes back", rule: "HT-FRM-19",
            steps: [first, request, reply], failure: "bad-tag", flags: [.order]
        ) { $0[1] }
        try refuseFrame(
            .client, "replayed", "the first message again", rule: "HT-FRM-18", steps: [first, update],
            failure: "bad-tag",
            flags: [.order]
        ) { $0[0] }
        try refuseLast(
            .client, "bad-padding", "a count larger than the plaintext", rule: "HT-FRM-5",
            steps: [first, .phone([], padded: .zeros(31) + [0x20])], failure: "bad-padding")
        try refuseLast(
            .authenticator, "bad-padding", "a count larger than the plaintext", rule: "HT-FRM-20",
            steps: [first, .client([], padded: .zeros(31) + [0x20])], failure: "bad-padding")
        try refuseLast(
            .client, "no-plaintext", "a frame of a tag alone", rule: "HT-FRM-4",
            steps: [first, .phone([], padded: [])], failure: "empty")
        try refuseFrame(
            .client, "short-frame", "a frame shorter than a tag", rule: "HT-FRM-17", steps: [first, update],
            failure: "too-short", flags: [.tamper]
        ) { Array($0[1].prefix(15)) }
    }

    private mutating func refuseFrame(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, steps: [SessionStep], failure: String,
        flags: [CaseFlag], last: (SealedScript) -> [UInt8]
    ) throws {
        try refuse(
            side, slug, comment, rule: rule,
            session: session("refused/\(slug)", saying: steps).replacingLast(by: last),
            failure: failure, flags: flags)
    }

    private mutating func refuseLast(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, steps: [SessionStep],
        failure: String, flags: [CaseFlag] = []
    ) throws {
        try refuse(
            side, slug, comment, rule: rule, session: session("refused/\(slug)", saying: steps), failure: failure,
            flags: flags)
    }
}
