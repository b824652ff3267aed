import CommandLine
import Cryptography
import Encodings
import FoundationEssentials
import HybridProtocol
import LinuxSupport
import QRCode

extension Explanation {
    /// Explains the text of a QR code, all but its secret.
    ///
    /// - Throws: ``HybridProtocolError`` with its fault.
    static func qrCode(_ url: String) throws -> Self {
        let invitation = try Invitation(url: url)
        let digits = Array(url.utf8.dropFirst(Invitation.urlPrefix.utf8.count))
        let contents = try QRDigits.decode(digits.span)
        let picture = try QRCode(ofCeremony: url)
        return Self(
            .qr, "a hybrid QR code: a client invites an authenticator",
            try lines(of: invitation, contents) + [
                ("text", "\(url.utf8.count) characters"),
                ("picture", "\(picture), \(picture.size) modules a side"),
            ])
    }

    /// Explains the CBOR map that is in a QR code.
    ///
    /// - Throws: ``HybridProtocolError`` with its fault.
    static func contents(_ cbor: [UInt8]) throws -> Self {
        Self(
            .contents, "the contents of a hybrid QR code: a client invites an authenticator",
            try lines(of: Invitation(cbor: cbor.span), cbor))
    }

    private static func lines(
        of invitation: borrowing Invitation,
        _ contents: [UInt8]
    ) throws -> [(name: Sentence, value: Sentence)] {
        let details = invitation.details
        return [
            ("client's public key", "\(Hexadecimal.encode(invitation.clientPublicKey.compressed)), on P-256"),
            ("secret", "\(Invitation.secretByteCount) bytes, not shown"),
            ("tunnel ID", "\(try invitation.tunnelID().hex), derived from the secret"),
            ("knows", details.knownDomainCount.map { "\($0) assigned tunnel domains" } ?? "it does not say"),
            ("made", details.timestamp.map(time) ?? "it does not say when"),
            ("linking", linking(details.supportsLinking)),
            ("is going to", "\(hint(details.hint)) (\(details.hint.rawValue))"),
            ("channels", channels(details.channels)),
            ("contents", "\(contents.count) bytes of CBOR\(unknownKeys(contents))"),
        ]
    }

    private static let lastKnownKey: UInt64 = 6

    private static func unknownKeys(_ contents: [UInt8]) -> Sentence {
        let map = (try? CBORValue.decode(contents.span))?.mapValue
        let keys = map?.entries.map(\.key).filter { $0.unsignedValue.map { $0 > lastKnownKey } ?? true } ?? []
        guard !keys.isEmpty else { return "" }
        return ", with keys that are ignored: \(keys.map { $0.diagnostic() }.joined(separator: ", "))"
    }

    private static let latestTime: UInt64 = 253_402_300_799  // The end of the year 9999.

    private static func time(_ timestamp: UInt64) -> Sentence {
        guard timestamp <= latestTime else { return "\(timestamp) s since 1970, which is not a time" }
        let date = Date(timeIntervalSince1970: Double(timestamp))
        return "\(date.formatted(.iso8601)), \(timestamp) s since 1970"
    }

    private static func linking(_ supported: Bool?) -> Sentence {
        switch supported {
        case true?: "the client can be linked, and so be reached without a QR code"
        case false?: "the client cannot be linked"
        case nil: "it does not say; old authenticators then speak revision 0"
        }
    }

    private static func hint(_ hint: RequestHint) -> Sentence {
        switch hint {
        case .getAssertion: "sign in with a passkey"
        case .makeCredential: "make a passkey"
        case .digitalCredentialPresentation: "ask for a digital credential"
        case .digitalCredentialIssuance: "issue a digital credential"
        }
    }

    private static func channels(_ channels: [ChannelIdentifier]) -> Sentence {
        let names: [Sentence] = channels.map { channel in
            switch channel {
            case .webSocket: "WebSocket through a tunnel service"
            case .ble: "L2CAP over Bluetooth LE"
            }
        }
        return names.isEmpty ? "none that are known" : names.joined(", ")
    }
}
