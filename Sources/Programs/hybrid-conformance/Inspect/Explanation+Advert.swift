import Encodings
import HybridProtocol

extension Explanation {
    /// Explains the service data of an advert; with a QR code, opens it.
    ///
    /// - Throws: ``HybridProtocolError`` for a bad QR code, an advert that is too short, or one that is not of its
    ///   session.
    static func advert(_ serviceData: [UInt8], qr: String?) throws -> Self {
        guard serviceData.count >= AdvertKey.advertByteCount else {
            throw HybridProtocolError(.tooShort, reason: "an advert has at least \(AdvertKey.advertByteCount) bytes")
        }
        let tag = serviceData[AdvertPlaintext.byteCount..<AdvertKey.advertByteCount]
        var explanation = Self(
            .advert, "a hybrid advert: an authenticator says that it is near",
            [
                ("sealed", "\(Hexadecimal.encode(serviceData.prefix(AdvertPlaintext.byteCount))), 16 bytes"),
                ("tag", "\(Hexadecimal.encode(tag)), 4 bytes"),
                ("suffix", suffix(Array(serviceData.dropFirst(AdvertKey.advertByteCount)))),
            ])
        if let qr {
            var key = try Invitation(url: qr).advertKey()
            explanation.lines += try lines(of: key.open(serviceData.span).plaintext)
        } else {
            explanation.lines.append(("says", "what only the session's two devices can read; --qr opens it"))
        }
        return explanation
    }

    /// Explains what is in an advert once it is open.
    static func plaintext(_ plaintext: AdvertPlaintext) -> Self {
        Self(.plaintext, "the plaintext of an advert: where the tunnel is", lines(of: plaintext))
    }

    private static func lines(of plaintext: AdvertPlaintext) -> [(name: String, value: String)] {
        [
            ("nonce", Hexadecimal.encode(plaintext.nonce)),
            ("routing ID", plaintext.routingID.hex),
            ("tunnel domain", "\(plaintext.domain.number), \(plaintext.domain.host())"),
        ]
    }

    private static func suffix(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "none" }
        let offer = AdvertSuffix(bytes.span).psm.map { "offers L2CAP at PSM \($0)" } ?? "offers nothing that is known"
        return "\(Hexadecimal.encode(bytes)), \(offer); not authenticated"
    }
}
