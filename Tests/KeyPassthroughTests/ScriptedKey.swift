import CTAP
import Cryptography
import Encodings
import KeyPassthrough
import PasskeyAuthenticator
import Synchronization
import UserVerification

/// A key in the test's hands: it answers as it is told, and notes each request that reaches it.
final class ScriptedKey: AttachedKey {
    enum Event: Equatable {
        case asked(ApprovalQuestion.Operation)
        case pin(objection: String?)
        case step(PassthroughKeyStep?)
        case registration
        case signIn([[UInt8]], userPresence: Bool)
    }

    private struct State {
        var events: [Event] = []
        var registrations: [KeyRegistration] = []
        var signIns: [KeySignIn] = []
        var isPluggedIn = true
    }

    private let state = Mutex(State())
    private let register: @Sendable (KeyRegistration) async throws(KeyFailure) -> MakeCredentialResponse
    private let sign: @Sendable (KeySignIn) async throws(KeyFailure) -> [KeyAssertion]

    init(
        register: @escaping @Sendable (KeyRegistration) async throws(KeyFailure) -> MakeCredentialResponse = {
            request throws(KeyFailure) in try SampleAnswer.registration(request)
        },
        sign: @escaping @Sendable (KeySignIn) async throws(KeyFailure) -> [KeyAssertion] = {
            _ throws(KeyFailure) in throw .refused(.noCredentials)
        }
    ) {
        self.register = register
        self.sign = sign
    }

    /// The events, in order.
    var events: [Event] { state.withLock(\.events) }
    var registrations: [KeyRegistration] { state.withLock(\.registrations) }
    var signIns: [KeySignIn] { state.withLock(\.signIns) }

    func note(_ event: Event) { state.withLock { $0.events.append(event) } }
    func unplug() { state.withLock { $0.isPluggedIn = false } }

    var isPluggedIn: Bool { state.withLock(\.isPluggedIn) }

    func information() async throws(KeyFailure) -> KeyInformation { throw .fault("not asked for in these tests") }

    func makeCredential(_ registration: KeyRegistration) async throws(KeyFailure) -> MakeCredentialResponse {
        state.withLock {
            $0.events.append(.registration)
            $0.registrations.append(registration)
        }
        return try await register(registration)
    }

    func assertions(_ signIn: KeySignIn) async throws(KeyFailure) -> [KeyAssertion] {
        state.withLock {
            $0.events.append(.signIn(signIn.allowed, userPresence: signIn.userPresence))
            $0.signIns.append(signIn)
        }
        return try await sign(signIn)
    }
}

/// Answers of a key that keeps to the protocol, unless they are told otherwise. Their signed data does not matter here.
enum SampleAnswer {
    static let credentialID: [UInt8] = [1, 2, 3]

    static func data(
        _ rpID: String, _ flags: AuthenticatorData.Flags, credential: AttestedCredential? = nil
    ) throws(KeyFailure) -> [UInt8] {
        guard
            let data = try? AuthenticatorData(
                rpIDHash: SHA256.hash(rpID.utf8.span), flags: flags, signCount: 7, attestedCredential: credential)
        else { throw .fault("the test's own") }
        return data.encoded()
    }

    static func registration(
        _ request: KeyRegistration, site: String? = nil,
        flags: AuthenticatorData.Flags = [.userPresent, .userVerified], algorithm: COSEAlgorithm? = nil
    ) throws(KeyFailure) -> MakeCredentialResponse {
        guard let key = try? CredentialKey(algorithm ?? request.algorithm),
            let credential = try? AttestedCredential(
                aaguid: [UInt8](repeating: 9, count: 16), credentialID: credentialID, publicKey: key.publicKey)
        else { throw .fault("the test's own") }
        return MakeCredentialResponse(
            format: "packed", authenticatorData: try data(site ?? request.rp.id, flags, credential: credential),
            attestationStatement: ["alg": -7, "sig": .bytes([1, 2, 3])])
    }

    static func assertion(
        _ request: KeySignIn, id: [UInt8], name: String? = nil, site: String? = nil,
        flags: AuthenticatorData.Flags? = nil
    ) throws(KeyFailure) -> KeyAssertion {
        let usual: AuthenticatorData.Flags = request.userPresence ? [.userPresent, .userVerified] : []
        return KeyAssertion(
            credentialID: id, authenticatorData: try data(site ?? request.rpID, flags ?? usual), signature: [5, 6],
            user: .init(id: id, name: name, displayName: nil))
    }
}
