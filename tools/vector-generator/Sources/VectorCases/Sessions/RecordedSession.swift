internal import Conformance
internal import Encodings
internal import HybridProtocol

/// A session with a real Chromium as the client, whose own private keys stay unknown: the authenticator's inputs.
struct RecordedSession: Sendable {
    /// The name of the file with the whole record.
    let fileName: String
    /// The browser's version, as it stands in each case.
    let browser: String
    /// The tunnel domain's number.
    let domainID: Int
    /// The input of `session.authenticator`.
    let input: CaseFields

    /// The nonce's place in the advert's plaintext, behind the reserved byte.
    private static let nonce = 1..<(1 + AdvertPlaintext.nonceByteCount)

    /// Reads a record.
    ///
    /// - Throws: `malformedCase` if a part is missing or of another type.
    init(fileName: String, record: CaseFields) throws(VectorError) {
        self.fileName = fileName
        browser = try record.text("chromium")
        domainID = try record.integer("tunnel_domain_id")
        let frames = try record.objects("frames").map { (frame) throws(VectorError) -> JSONValue in
            try frame.text("dir") == "to_client"
                ? ["sender": "authenticator", "plaintext": frame.value("plain")]
                : ["sender": "client", "frame": frame.value("cipher")]
        }
        input = [
            "url": try record.value("qr_url"),
            "domain_id": try record.value("tunnel_domain_id"),
            "routing_id": try record.value("routing_id"),
            "advert_nonce": .hex(Array(try record.bytes("eid_plaintext")[Self.nonce])),
            "ephemeral_private": try record.value("authenticator_ephemeral_private"),
            "message_1": try record.value("client_handshake"),
            "frames": .array(frames),
        ]
    }
}
