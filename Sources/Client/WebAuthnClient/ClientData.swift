internal import Encodings
internal import FoundationEssentials

/// The client data of a ceremony, of which the authenticator signs the hash.
///
/// Source: WebAuthn Level 3 section 5.8.1; written as section 5.8.1.2 has it, so that even a verifier that compares
/// bytes accepts it.
struct ClientData: Sendable {
    /// The type of the ceremony.
    enum Ceremony: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    let ceremony: Ceremony
    let challenge: [UInt8]
    let origin: String

    /// The largest client data that is read: 64 KiB, hundreds of times the length of a browser's.
    private static let maxByteCount = 1 << 16

    /// The JSON, in UTF-8.
    func encoded() -> [UInt8] {
        let json: JSONValue = [
            "type": .string(ceremony.rawValue), "challenge": .base64URL(challenge), "origin": .string(origin),
            "crossOrigin": false,
        ]
        return [UInt8](json.text.utf8)
    }

    /// Checks client data that another client wrote. Source: WebAuthn Level 3 section 7.1 steps 5–11, 7.2 steps 7–13.
    func check(_ json: [UInt8]) throws(RelyingPartyError) {
        let found = try Self.read(json)
        guard found.type == ceremony.rawValue else {
            throw RelyingPartyError(.typeMismatch, reason: "the client data is not of type \(ceremony.rawValue)")
        }
        guard found.challenge == Base64URL.encode(challenge) else {
            throw RelyingPartyError(.challengeMismatch, reason: "the client data holds another challenge")
        }
        guard found.origin == origin else {
            throw RelyingPartyError(.originMismatch, reason: "the client data is of another origin than \(origin)")
        }
        guard found.crossOrigin != true, found.topOrigin == nil else {
            throw RelyingPartyError(.crossOrigin, reason: "the client data is of a page inside another origin's page")
        }
    }

    private struct Members: Decodable {
        let type: String
        let challenge: String
        let origin: String
        let crossOrigin: Bool?
        let topOrigin: String?
    }

    private static func read(_ json: [UInt8]) throws(RelyingPartyError) -> Members {
        // Foundation would take UTF-16 and UTF-32 too: both have zero bytes, which JSON in UTF-8 never has.
        guard json.count <= maxByteCount, !json.contains(0), String(validating: json, as: UTF8.self) != nil,
            let members = try? JSONDecoder().decode(Members.self, from: Data(json))
        else { throw RelyingPartyError(.malformedResponse, reason: "the client data is not the JSON that it must be") }
        return members
    }
}
