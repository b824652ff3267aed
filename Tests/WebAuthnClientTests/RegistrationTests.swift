import CTAP
import Encodings
import Testing
import WebAuthnClient

/// WebAuthn Level 3 section 7.1: each check with an answer that is wrong in exactly that.
@Suite struct RegistrationTests {
    @Test("A right answer gives the credential that is to be kept")
    func right() throws {
        var authenticator = TestAuthenticator()
        authenticator.flags = [.userPresent, .userVerified, .backupEligible, .backupState]
        authenticator.signCount = 5
        authenticator.extensions = ["credProtect": 2, "else": ["deep": [1, 2, 3]]]
        let registration = try Lab.site().beginRegistration(userName: "alice", displayName: "Alice", userID: Lab.user)
        let answer = try authenticator.register(registration.request.clientDataHash)
        let verified = try registration.verify(answer, transports: ["internal", "cable", "hybrid", "bad one", "nfc"])
        #expect(verified.credential.id == authenticator.credentialID)
        #expect(verified.credential.publicKey == (try authenticator.record().publicKey))
        #expect(verified.credential.user == .init(id: Lab.user, name: "alice", displayName: "Alice"))
        #expect(verified.credential.signCount == 5 && verified.credential.aaguid == authenticator.aaguid)
        #expect(verified.credential.isBackupEligible && verified.credential.isBackedUp)
        #expect(verified.credential.transports == ["hybrid", "internal", "nfc"])
        #expect(verified.userVerified && verified.attestation == .selfSigned)
    }

    @Test("User verification that was not required may be missing, and is reported so")
    func notVerified() throws {
        var authenticator = TestAuthenticator()
        authenticator.flags = [.userPresent]
        for userVerification in [RelyingParty.UserVerification.preferred, .discouraged] {
            let registration = try Lab.site().beginRegistration(userName: "a", userVerification: userVerification)
            let answer = try authenticator.register(registration.request.clientDataHash)
            #expect(try registration.verify(answer).userVerified == false)
        }
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: RelyingPartyError.Code
        let change: @Sendable (inout TestAuthenticator) -> Void

        init(
            _ what: String, _ code: RelyingPartyError.Code,
            _ change: @escaping @Sendable (inout TestAuthenticator) -> Void
        ) {
            testDescription = what
            self.code = code
            self.change = change
        }
    }

    static let wrongData = [
        Wrong("another relying party", .relyingPartyIDMismatch) { $0.rpID = "example.org" },
        Wrong("no user presence", .userNotPresent) { $0.flags = [.userVerified] },
        Wrong("no user verification", .userNotVerified) { $0.flags = [.userPresent] },
        Wrong("backed up and not eligible", .backupStateInconsistent) { $0.flags.insert(.backupState) },
        Wrong("a short credential ID", .badCredentialID) { $0.credentialID = [UInt8](repeating: 1, count: 15) },
        Wrong("an empty credential ID", .badCredentialID) { $0.credentialID = [] },
        Wrong("an excluded credential", .alreadyRegistered) { $0.credentialID = Self.excluded },
        Wrong("a byte too many", .malformedResponse) { $0.trailing = [0] },
        Wrong("64 KiB of extensions", .malformedResponse) {
            $0.extensions = ["big": .bytes([UInt8](repeating: 0, count: 1 << 16))]
        },
    ]
    static let excluded = [UInt8](repeating: 0xee, count: 20)

    @Test("Authenticator data that is wrong in one thing is refused for that", arguments: wrongData)
    func wrong(_ wrong: Wrong) throws {
        var authenticator = TestAuthenticator()
        wrong.change(&authenticator)
        for attestation in RelyingParty.AttestationConveyance.allCases {
            let registration = try Lab.site().beginRegistration(
                userName: "a", exclude: [Self.excluded], attestation: attestation)
            let answer = try authenticator.register(registration.request.clientDataHash)
            #expect(registration.refusal(answer) == wrong.code)
            let plain = try Lab.site().beginRegistration(
                userName: "a", exclude: [Self.excluded], attestation: attestation)
            let unsigned = try authenticator.registerWithoutStatement()
            #expect(plain.refusal(unsigned) == wrong.code)
        }
    }

    @Test("An answer without a credential is refused")
    func noCredential() throws {
        let registration = try Lab.site().beginRegistration(userName: "a")
        let answer = MakeCredentialResponse(
            format: "none", authenticatorData: try TestAuthenticator().data(nil), attestationStatement: [:])
        #expect(registration.refusal(answer) == .missingCredential)
    }

    @Test("Authenticator data that ends early is refused, wherever it ends")
    func truncated() throws {
        let whole = try TestAuthenticator().registerWithoutStatement()
        for count in whole.authenticatorData.indices {
            let registration = try Lab.site().beginRegistration(userName: "a")
            var answer = whole
            answer.authenticatorData = [UInt8](whole.authenticatorData.prefix(count))
            #expect(registration.refusal(answer) == .malformedResponse, "\(count) bytes")
        }
    }

    @Test("A key of another algorithm is refused")
    func algorithm() throws {
        let rsa = try COSEKey([1: 3, 3: -257, -1: .bytes([1]), -2: .bytes([1, 0, 1])])
        let registration = try Lab.site().beginRegistration(userName: "a")
        let answer = try TestAuthenticator().registerWithoutStatement(key: rsa)
        #expect(registration.refusal(answer) == .algorithmNotAsked)
    }

    static let wrongKeys: [(String, CBORMap)] = {
        let (x, y) = (
            CBORValue.bytes([UInt8](repeating: 1, count: 32)), CBORValue.bytes([UInt8](repeating: 2, count: 32))
        )
        return [
            ("off the curve", [1: 2, 3: -7, -1: 1, -2: x, -3: y]),
            ("on another curve", [1: 2, 3: -7, -1: 2, -2: x, -3: y]),
            ("of another type", [1: 1, 3: -7, -1: 1, -2: x, -3: y]),
            ("compressed", [1: 2, 3: -7, -1: 1, -2: x, -3: true]),
            ("without Y", [1: 2, 3: -7, -1: 1, -2: x]),
            ("with a short X", [1: 2, 3: -7, -1: 1, -2: .bytes([1]), -3: y]),
        ]
    }()

    @Test("A key that is not a point on P-256 is refused", arguments: wrongKeys)
    func keys(what: String, key: CBORMap) throws {
        let registration = try Lab.site().beginRegistration(userName: "a")
        let answer = try TestAuthenticator().registerWithoutStatement(key: COSEKey(key))
        #expect(registration.refusal(answer) == .badPublicKey)
    }
}
