import HybridProtocol

extension Explanation {
    /// Explains the service data of an advert; with a QR code, opens it.
    ///
    /// - Throws: ``HybridProtocolError`` for a bad QR code, an advert that is too short, or one that is not of its session.
    static func advert(_ serviceData: [UInt8], qr: String?) throws -> Self {
        guard serviceData.count >= advertByteCount else {
            throw HybridProtocolError(.tooShort, reason: "an advert has at least \(advertByteCount) bytes")
        }
        var explanation = Self(
            .advert, "a hybrid advert: an authenticator says that it is near",
            [
                ("sealed", "\(hexadecimal(Array(serviceData.prefix(AdvertPlaintext.byteCount)))), 16 bytes"),
                ("tag", hexadecimal(Array(serviceData[AdvertPlaintext.byteCount..<advertByteCount]))),
            ])
        explanation.lines.append(("suffix", suffix(Array(serviceData.dropFirst(advertByteCount)))))
        guard let qr else {
            explanation.lines.append(("says", "only the session's two devices can tell; --qr opens it"))
            return explanation
        }
        var key = try Invitation(url: qr).advertKey()
        let plaintext = try key.open(serviceData.span).plaintext
        explanation.lines += [
            ("routing ID", plaintext.routingID.hex),
            ("tunnel domain", "\(plaintext.domain.number), \(try plaintext.domain.host())"),
            ("nonce", hexadecimal(plaintext.nonce)),
        ]
        return explanation
    }

    private static func suffix(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "none" }
        let offer = AdvertSuffix(bytes.span).psm.map { "L2CAP at PSM \($0)" } ?? "offers nothing that is known"
        return "\(hexadecimal(bytes)), \(offer); not authenticated"
    }
}
