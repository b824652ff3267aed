import Cryptography
import FoundationEssentials
import HybridProtocol

extension Explanation {
    /// Explains the text of a QR code, all but its secret.
    ///
    /// - Throws: ``HybridProtocolError`` with what is wrong with it.
    static func qrCode(_ url: String) throws -> Self {
        let invitation = try Invitation(url: url)
        let details = invitation.details
        return Self(
            .qr, "a hybrid QR code: a client invites an authenticator",
            [
                ("client's public key", "\(hexadecimal(invitation.clientPublicKey.compressed)), on P-256"),
                ("secret", "16 bytes, not shown"),
                ("tunnel ID", "\(try invitation.tunnelID().hex), derived from the secret"),
                ("knows domains", "\(details.knownDomainCount) assigned tunnel domains"),
                ("made", details.timestamp.map(time) ?? "it does not say when"),
                ("linking", linking(details.supportsLinking)),
                ("is going to", "\(hint(details.hint)) (\(details.hint.rawValue))"),
                ("channels", channels(details.channels)),
                (
                    "length",
                    "\(url.utf8.count) characters, \(invitation.encodedCBOR().count) bytes of CBOR as we write it"
                ),
            ])
    }

    private static func time(_ timestamp: UInt64) -> String {
        let date = Date(timeIntervalSince1970: Double(timestamp))
        return "\(date.formatted(.iso8601)), \(timestamp) s since 1970"
    }

    private static func linking(_ supported: Bool?) -> String {
        switch supported {
        case true?: "the client can be linked, and so be reached without a QR code"
        case false?: "the client cannot be linked"
        case nil: "it does not say; old authenticators then speak revision 0"
        }
    }

    private static func hint(_ hint: RequestHint) -> String {
        switch hint {
        case .getAssertion: "sign in with a passkey"
        case .makeCredential: "make a passkey"
        case .digitalCredentialPresentation: "ask for a digital credential"
        case .digitalCredentialIssuance: "issue a digital credential"
        }
    }

    private static func channels(_ channels: [ChannelIdentifier]) -> String {
        let names = channels.map { channel in
            switch channel {
            case .webSocket: "WebSocket through a tunnel service"
            case .ble: "L2CAP over Bluetooth LE"
            }
        }
        return names.isEmpty ? "none that are known" : names.joined(separator: ", ")
    }
}

/// Bytes as lower-case hexadecimal digits.
func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
