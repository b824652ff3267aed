internal import Encodings
internal import HybridProtocol

// Requests of a linked client to a tunnel service for its authenticator (the article StateAssistedTransactions of
// HybridProtocol).

extension VectorOperation {
    static let contacts = [
        VectorOperation("tunnel.contact-url", "tunnel-domain") { input in
            let service = try service(input)
            return ["url": .string(TunnelURL.contact(try ContactID(try input.bytes("contact_id")), at: service).text)]
        },
        VectorOperation("contact-id.parse", "tunnel-domain") { input in
            ["contact_id": .hex(try ContactID(base64URL: try input.text("text")).bytes)]
        },
        VectorOperation("contact-request.encode", "tunnel-domain") { input in
            let request = try ContactRequest(
                linkID: LinkID(try input.bytes("link_id")), nonce: ClientNonce(try input.bytes("nonce")),
                hint: try hint(input))
            return ["payload": .hex(request.encoded()), "header": .string(request.headerValue)]
        },
        VectorOperation("contact-request.parse", "tunnel-domain") { input in
            let request = try ContactRequest(headerValue: try input.text("header"))
            return [
                "link_id": .hex(request.linkID.bytes), "nonce": .hex(request.nonce.bytes),
                "hint": .string(request.hint.rawValue),
            ]
        },
    ]

    static func hint(_ input: CaseFields) throws(VectorError) -> RequestHint {
        guard let hint = RequestHint(rawValue: try input.text("hint")) else { throw input.mistyped("hint", "a hint") }
        return hint
    }
}
