internal import CTAP
internal import Cryptography

/// A relying party of WebAuthn: it asks for passkeys and for proof of them, and verifies what comes back.
///
///     let site = try RelyingParty(id: "example.com", name: "Example")
///     let registration = try site.beginRegistration(userName: "alice@example.com")
///     let answer = …                                   // registration.request, sent to an authenticator
///     let verified = try registration.verify(answer)   // verified.credential is to be kept
///
/// Source: WebAuthn Level 3 sections 7.1 and 7.2. It is the page and the browser in one: it writes the client data too.
public struct RelyingParty: Sendable, Hashable {
    /// The relying party's requirement for user verification. Source: WebAuthn Level 3 section 5.8.6.
    public enum UserVerification: String, Sendable, Hashable, CaseIterable {
        /// An answer without it is refused.
        case required
        /// It is asked for, and an answer without it is taken.
        case preferred
        /// It is not asked for. Phones verify all the same (HT-CTAP-11).
        case discouraged
    }

    /// The relying party's preference for attestation. Source: WebAuthn Level 3
    /// section 5.4.7.
    public enum AttestationConveyance: String, Sendable, Hashable, CaseIterable {
        /// The attestation is not passed on.
        case none
        /// The attestation is passed on as the authenticator made it.
        case direct
    }

    /// The identifier: a domain name in lower case, or `localhost`.
    public let id: String
    /// The name that phones show.
    public let name: String
    /// The origin that the client data names.
    public let origin: String
    /// The SHA-256 of the identifier, 32 bytes.
    let idHash: [UInt8]

    /// The length of a challenge that is drawn here: 32 bytes.
    public static let challengeByteCount = 32
    /// The lengths that a challenge from elsewhere may have: at least 16 bytes (WebAuthn Level 3 section 13.4.3).
    public static let challengeByteCounts = 16...1024
    /// The length of a user handle that is drawn here: 32 bytes.
    public static let userHandleByteCount = 32

    /// Makes a relying party.
    ///
    /// - Parameters:
    ///   - id: a domain name in lower case; `localhost` and other names of one label are taken, addresses are not.
    ///   - name: the name that phones show; the identifier if nil.
    ///   - origin: `https://` and the identifier if nil. Otherwise its host is the identifier or below it, and its
    ///     scheme `https`, or `http` for `localhost`.
    /// - Throws: ``RelyingPartyError`` `invalid-rp-id`, `invalid-origin` or `library-failure`.
    public init(id: String, name: String? = nil, origin: String? = nil) throws(RelyingPartyError) {
        let domain: DomainName
        do throws(DomainName.Invalid) {
            domain = try DomainName(id)
        } catch {
            throw RelyingPartyError(
                .invalidRelyingPartyID, reason: "the relying party's identifier is a domain name: \(error.reason)")
        }
        if let origin { try Origin.check(origin, for: domain) }
        self.id = id
        self.name = name ?? id
        self.origin = origin ?? Origin.standard(for: domain)
        idHash = try SHA256.digest([UInt8](id.utf8))
    }

    /// A new challenge, or the given one if its length is allowed.
    func challenge(_ given: [UInt8]?) throws(RelyingPartyError) -> [UInt8] {
        guard let given else { return try Self.random(Self.challengeByteCount) }
        guard Self.challengeByteCounts.contains(given.count) else {
            let range = Self.challengeByteCounts
            throw RelyingPartyError(
                .invalidChallenge, reason: "a challenge has \(range.lowerBound) to \(range.upperBound) bytes")
        }
        return given
    }

    /// Descriptors as they are sent: without transports, which some phones do not accept (HT-CTAP-24).
    static func descriptors(_ ids: [[UInt8]]) throws(RelyingPartyError) -> [PublicKeyCredentialDescriptor] {
        guard ids.allSatisfy({ (1...AttestedCredential.maxCredentialIDByteCount).contains($0.count) }) else {
            throw RelyingPartyError(
                .invalidCredentialID,
                reason: "a credential ID has 1 to \(AttestedCredential.maxCredentialIDByteCount) bytes")
        }
        return ids.map { PublicKeyCredentialDescriptor(id: $0) }
    }

    /// Public random bytes.
    static func random(_ byteCount: Int) throws(RelyingPartyError) -> [UInt8] {
        do throws(CryptographyError) {
            return try randomBytes(count: byteCount)
        } catch {
            throw .library(error)
        }
    }
}

extension SHA256 {
    /// The digest, with this module's error.
    static func digest(_ bytes: [UInt8]) throws(RelyingPartyError) -> [UInt8] {
        do throws(CryptographyError) {
            return try hash(bytes.span)
        } catch {
            throw .library(error)
        }
    }
}
