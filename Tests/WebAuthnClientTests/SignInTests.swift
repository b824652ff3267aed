import CTAP
import Encodings
import Testing
import WebAuthnClient

/// WebAuthn Level 3 section 7.2: each check with an answer that is wrong in exactly that.
@Suite struct SignInTests {
    /// Signs in with an answer that may be changed, and gives the refusal.
    static func refusal(
        _ authenticator: TestAuthenticator = TestAuthenticator(), known: RegisteredCredential? = nil,
        allow: [[UInt8]] = [], user: [UInt8]? = Lab.user, change: (inout GetAssertionResponse) throws -> Void = { _ in }
    ) throws -> RelyingPartyError.Code? {
        let signIn = try Lab.site().beginSignIn(allow: allow)
        var answer = try authenticator.signIn(signIn.request.clientDataHash, user: user)
        try change(&answer)
        let record = try known ?? authenticator.record()
        return signIn.refusal(answer, known: record)
    }

    static let id = TestAuthenticator().credentialID
    static let otherID = [UInt8](repeating: 0x0d, count: 32)

    @Test("A right answer gives the credential as it is to be kept from now on")
    func right() throws {
        var authenticator = TestAuthenticator()
        authenticator.flags = [.userPresent, .userVerified, .backupEligible]
        let known = try authenticator.record(signCount: 6)
        authenticator.flags.insert(.backupState)
        authenticator.signCount = 7
        let signIn = try Lab.site().beginSignIn()
        var answer = try authenticator.signIn(signIn.request.clientDataHash, user: Lab.user)
        answer.userSelected = true
        let verified = try signIn.verify(answer) { $0 == known.id ? known : nil }
        #expect(verified.credential.signCount == 7 && verified.credential.isBackedUp && !known.isBackedUp)
        #expect(verified.credential.id == known.id && verified.userVerified && verified.userSelected)
    }

    @Test("User verification that was not required may be missing, and is reported so")
    func notVerified() throws {
        var authenticator = TestAuthenticator()
        authenticator.flags = [.userPresent]
        let signIn = try Lab.site().beginSignIn(userVerification: .preferred)
        let answer = try authenticator.signIn(signIn.request.clientDataHash, user: Lab.user)
        let known = try authenticator.record()
        #expect(try signIn.verify(answer) { _ in known }.userVerified == false)
        #expect(try Self.refusal(authenticator) == .userNotVerified)
    }

    @Test("Authenticator data that is wrong in one thing is refused for that")
    func data() throws {
        var authenticator = TestAuthenticator()
        let known = try authenticator.record()
        func refusal(_ change: (inout TestAuthenticator) -> Void) throws -> RelyingPartyError.Code? {
            var changed = authenticator
            change(&changed)
            return try Self.refusal(changed, known: known)
        }
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0.rpID = "example.org" } == .relyingPartyIDMismatch)
        #expect(try refusal { $0.flags = [.userVerified] } == .userNotPresent)
        #expect(try refusal { $0.flags = [.userPresent] } == .userNotVerified)
        #expect(try refusal { $0.flags.insert(.backupState) } == .backupStateInconsistent)
        #expect(try refusal { $0.flags.insert(.backupEligible) } == .backupStateInconsistent)
        #expect(try refusal { $0.trailing = [0] } == .malformedResponse)
        #expect(try refusal { $0.scalar = [UInt8](repeating: 8, count: 32) } == .badSignature)
        authenticator.extensions = ["hmac-secret": .bytes([1])]
        #expect(try refusal { _ in } == nil)
    }

    @Test("A sign-in that brings a new credential is refused")
    func newCredential() throws {
        let authenticator = TestAuthenticator()
        let refusal = try Self.refusal(authenticator) { answer in
            answer.authenticatorData = try authenticator.data(authenticator.publicKey())
        }
        #expect(refusal == .malformedResponse)
    }

    @Test("A signature over anything else is refused")
    func signature() throws {
        let authenticator = TestAuthenticator()
        #expect(
            try Self.refusal { $0.signature = try authenticator.sign($0.authenticatorData, Lab.challenge) }
                == .badSignature)
        #expect(try Self.refusal { $0.signature = [] } == .badSignature)
        #expect(try Self.refusal { $0.signature.append(0) } == .badSignature)
        #expect(try Self.refusal { $0.signature.removeLast() } == .badSignature)
    }

    @Test("The answer is of a credential that is known, and allowed")
    func credential() throws {
        #expect(try Self.refusal(allow: [Self.id, Self.otherID]) == nil)
        #expect(try Self.refusal(allow: [Self.otherID]) == .credentialNotAllowed)
        #expect(try Self.refusal { $0.credential = .init(id: Self.otherID) } == .unknownCredential)
        #expect(try Self.refusal { $0.credential?.type = "private-key" } == .malformedResponse)
    }

    @Test("The credential may be left unsaid where exactly one was allowed")
    func unnamed() throws {
        #expect(try Self.refusal(allow: [Self.id]) { $0.credential = nil } == nil)
        #expect(try Self.refusal(allow: [Self.id, Self.otherID]) { $0.credential = nil } == .credentialNotNamed)
        #expect(try Self.refusal { $0.credential = nil } == .credentialNotNamed)
    }

    @Test("A look-up that gives another credential than was asked for is not believed")
    func lookUp() throws {
        let signIn = try Lab.site().beginSignIn()
        var authenticator = TestAuthenticator()
        let answer = try authenticator.signIn(signIn.request.clientDataHash, user: Lab.user)
        authenticator.credentialID = Self.otherID
        let other = try authenticator.record()
        do {
            _ = try signIn.verify(answer) { _ in other }
            Issue.record("it was believed")
        } catch {
            #expect(error.code == .unknownCredential)
        }
    }

    @Test("Without an allow list the answer says whose account it is; what it says must be right")
    func user() throws {
        #expect(try Self.refusal(user: nil) == .userHandleMismatch)
        #expect(try Self.refusal(user: [9]) == .userHandleMismatch)
        #expect(try Self.refusal(allow: [Self.id], user: nil) == nil)
        #expect(try Self.refusal(allow: [Self.id], user: Lab.user) == nil)
        #expect(try Self.refusal(allow: [Self.id], user: [9]) == .userHandleMismatch)
    }

    @Test("The user can have chosen only where no allow list was sent")
    func userSelected() throws {
        #expect(try Self.refusal { $0.userSelected = true } == nil)
        #expect(try Self.refusal(allow: [Self.id]) { $0.userSelected = true } == .unexpectedUserSelected)
        #expect(try Self.refusal(allow: [Self.id]) { $0.userSelected = false } == nil)
    }

    @Test(
        "The signature counter increases, or is always zero",
        arguments: [
            (0, 0, true), (0, 1, true), (1, 2, true), (1, UInt32.max, true), (1, 1, false), (2, 1, false),
            (1, 0, false),
            (UInt32.max, UInt32.max, false), (UInt32.max, 0, false),
        ] as [(UInt32, UInt32, Bool)])
    func counter(last: UInt32, new: UInt32, isRight: Bool) throws {
        var authenticator = TestAuthenticator()
        authenticator.signCount = new
        let known = try authenticator.record(signCount: last)
        #expect(try Self.refusal(authenticator, known: known) == (isRight ? nil : .counterWentBack))
    }

    @Test("Authenticator data that ends early is refused, wherever it ends")
    func truncated() throws {
        for count in 0..<AuthenticatorData.fixedByteCount {
            let refusal = try Self.refusal { $0.authenticatorData = [UInt8]($0.authenticatorData.prefix(count)) }
            #expect(refusal == .malformedResponse, "\(count) bytes")
        }
    }
}
