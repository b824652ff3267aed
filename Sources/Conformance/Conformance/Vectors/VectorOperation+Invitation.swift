internal import Cryptography
internal import Encodings
internal import HybridProtocol

// The QR code: its digits, its text and its contents (the article QRCode of HybridProtocol).

extension VectorOperation {
    static let digits = [
        VectorOperation("digits.encode", "qr-digits") { input in
            let bytes = try input.bytes("bytes")
            return ["digits": .string(QRDigits.encode(bytes.span))]
        },
        VectorOperation("digits.decode", "qr-digits") { input in
            let digits = Array(try input.text("digits").utf8)
            return ["bytes": .hex(try QRDigits.decode(digits.span))]
        },
    ]

    static let invitations = [
        VectorOperation("invitation.parse", "qr-contents") { input in
            let url = try input.text("url")
            return try contents(of: Invitation(url: url))
        },
        VectorOperation("invitation.decode", "qr-contents") { input in
            let cbor = try input.bytes("cbor")
            return try contents(of: Invitation(cbor: cbor.span))
        },
        VectorOperation("invitation.encode", "qr-contents") { input in
            let (point, secret) = (try input.bytes("public_key"), try input.bytes("secret"))
            let invitation = try Invitation(
                clientPublicKey: try P256.PublicKey(x963: point.span), secret: SecretBytes(copying: secret.span),
                details: try details(input))
            return ["cbor": .hex(invitation.encodedCBOR()), "url": .string(invitation.url())]
        },
    ]

    /// The secret's key in the encoded map: an invitation does not show it otherwise.
    private static let secretKey = 1

    private static func contents(of invitation: borrowing Invitation) throws -> CaseFields {
        let details = invitation.details
        return [
            "public_key": .hex(invitation.clientPublicKey.compressed),
            "secret": .hex(try secret(of: invitation)),
            "known_domains": .integer(Int64(clamping: details.knownDomainCount)),
            "timestamp": details.timestamp.map { .integer(Int64(clamping: $0)) } ?? .null,
            "linking": details.supportsLinking.map { .bool($0) } ?? .null,
            "hint": .string(details.hint.rawValue),
            "channels": .array(details.channels.map { .integer(Int64(clamping: $0.rawValue)) }),
        ]
    }

    static func secret(of invitation: borrowing Invitation) throws -> [UInt8] {
        try CBORValue.decode(invitation.encodedCBOR().span).mapValue?[secretKey]?.bytesValue ?? []
    }

    private static func details(_ input: CaseFields) throws(VectorError) -> Invitation.Details {
        guard let hint = RequestHint(rawValue: try input.text("hint")) else { throw input.mistyped("hint", "a hint") }
        var channels: [ChannelIdentifier] = []
        for value in try input.array("channels") {
            let number: UInt64? = value.integer()
            guard let known = number.flatMap(ChannelIdentifier.init) else {
                throw input.mistyped("channels", "known channels")
            }
            channels.append(known)
        }
        return Invitation.Details(
            knownDomainCount: try input.integer("known_domains"),
            timestamp: try input.integerIfAny("timestamp"),
            supportsLinking: try input.booleanIfAny("linking"),
            hint: hint,
            channels: channels)
    }
}
