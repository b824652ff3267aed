internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The messages of both sides in most sessions.
struct SessionMessages {
    /// A getInfo response.
    let info: [UInt8]
    /// The first message of an authenticator that speaks CTAP.
    let first: [UInt8]
    /// The first message of one that has digital credentials too.
    let firstWithCredentials: [UInt8]
    /// A getAssertion.
    let request: [UInt8]
    /// Its answer.
    let reply: [UInt8]
    /// The answer of a user who did not want to: CTAP2_ERR_OPERATION_DENIED.
    let declined = MessageType.ctap.message([0x27])
    let shutdown = MessageType.shutdown.message()
    /// An update with filler only.
    let update: [UInt8]
    /// A digital-credential request.
    let jsonRequest = MessageType.json.message(
        #"{"origin":"https://example.com","request":{"digital":{}},"requestType":"credential.get"}"#)
    /// Its answer.
    let jsonReply = MessageType.json.message(#"{"response":{"digital":{"error":"USER_CANCELED"}}}"#)

    init(_ seed: VectorSeed) throws {
        let info: CBORValue = [
            1: ["FIDO_2_0"], 3: .bytes(.zeros(16)), 4: ["rk": true, "uv": true], 9: ["internal", "hybrid"],
        ]
        let first: CBORValue = [1: .bytes(info.encoded())]
        let firstWithCredentials: CBORValue = [1: .bytes(info.encoded()), 3: ["ctap", "dc"]]
        let request: CBORValue = [1: "example.com", 2: .bytes(seed.bytes("session/hash", 32)), 5: ["uv": true]]
        let reply: CBORValue = [
            2: .bytes(seed.bytes("session/data", 37)), 3: .bytes(seed.bytes("session/signature", 70)),
        ]
        let update: CBORValue = [0: .bytes(.zeros(200))]
        self.info = info.encoded()
        self.first = first.encoded()
        self.firstWithCredentials = firstWithCredentials.encoded()
        self.request = MessageType.ctap.message([0x02] + request.encoded())
        self.reply = MessageType.ctap.message([0x00] + reply.encoded())
        self.update = MessageType.update.message(update.encoded())
    }

    /// A getAssertion that is answered, and the end.
    var signIn: [SessionStep] { [.phone(first), .client(request), .phone(reply), .client(shutdown)] }

    /// A getAssertion that the user declines, and the end.
    var refusal: [SessionStep] { [.phone(first), .client(request), .phone(declined), .client(shutdown)] }

    /// The client changes its mind.
    var shutdownAtOnce: [SessionStep] { [.phone(first), .client(shutdown)] }

    /// Two requests, one after the other.
    var twoRequests: [SessionStep] {
        [.phone(first), .client(request), .phone(declined), .client(request), .phone(reply), .client(shutdown)]
    }
}
