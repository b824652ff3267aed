import CBOR
import CTAP
import Foundation
import RelyingParty
import TestPeers
import Testing

/// Our JSON as python-fido2's server takes it.
@Suite(.enabled("the Python package fido2 is not installed") { await ForeignVerifier.isPresent() })
struct ForeignVerifierTests {
    @Test(
        "A passkey that was made and used is verified, however it was asked for",
        arguments: RelyingParty.AttestationConveyance.allCases, [true, false])
    func verified(attestation: RelyingParty.AttestationConveyance, isDiscoverable: Bool) async throws {
        let ceremonies = try ForeignVerifier.Case(attestation, isDiscoverable: isDiscoverable)
        #expect(try await ForeignVerifier.verify([ceremonies]) == [hex(TestAuthenticator().credentialID)])
    }

    @Test("An attestation certificate is verified likewise")
    func certificate() async throws {
        let certificates = try AttestationTests.Certificates.all()
        let certificate = bytes(try #require(certificates.certificates["right"]))
        let ceremonies = try ForeignVerifier.Case(.direct, isDiscoverable: true) { data, hash in
            try AttestationTests.certified([certificate], data, hash)
        }
        #expect(try await ForeignVerifier.verify([ceremonies]) == [hex(TestAuthenticator().credentialID)])
    }

    @Test("What is not so, is not verified")
    func refused() async throws {
        let right = try ForeignVerifier.Case(.direct, isDiscoverable: true)
        let other = try ForeignVerifier.Case(.direct, isDiscoverable: true)
        var wrongChallenge = right
        wrongChallenge.signInChallenge = other.signInChallenge
        var wrongOrigin = right
        wrongOrigin.origin = "https://example.org"
        var wrongSignature = right
        wrongSignature.signIn = right.signIn.replacing("\"signature\":\"ME", with: "\"signature\":\"MA")
        #expect(wrongSignature.signIn != right.signIn)
        let verdicts = try await ForeignVerifier.verify([right, wrongChallenge, wrongOrigin, wrongSignature])
        #expect(verdicts.map { $0.hasPrefix("refused:") } == [false, true, true, true])
    }
}

/// Peer/verify.py.
enum ForeignVerifier {
    /// A registration and a sign-in, as JSON.
    struct Case {
        var origin = "https://example.com"
        let registrationChallenge: String
        let registration: String
        var signInChallenge: String
        var signIn: String

        /// Makes and uses a passkey, verified by our own relying party.
        init(
            _ attestation: RelyingParty.AttestationConveyance, isDiscoverable: Bool,
            statement: ((_ data: [UInt8], _ hash: [UInt8]) throws -> CBORMap)? = nil
        ) throws {
            let authenticator = TestAuthenticator()
            let registration = try Lab.site().beginRegistration(
                userName: "alice", userID: Lab.user, discoverable: isDiscoverable, attestation: attestation)
            registrationChallenge = Base64URL.encode(registration.challenge)
            let hash = registration.request.clientDataHash
            var made = try authenticator.register(hash)
            if let statement { made.attestationStatement = try statement(made.authenticatorData, hash) }
            let verified = try registration.verify(made)
            self.registration = verified.response.description
            let signIn = try Lab.site().beginSignIn(allow: isDiscoverable ? [] : [verified.credential.id])
            signInChallenge = Base64URL.encode(signIn.challenge)
            let answer = try authenticator.signIn(
                signIn.request.clientDataHash, user: isDiscoverable ? Lab.user : nil)
            self.signIn = try signIn.verify(answer) { _ in verified.credential }.response.description
        }

        var json: String {
            """
            {"rpID":"example.com","origin":"\(origin)","registrationChallenge":"\(registrationChallenge)",\
            "registration":\(registration),"signInChallenge":"\(signInChallenge)","signIn":\(signIn)}
            """
        }
    }

    /// Whether the program has what it needs here.
    static func isPresent() async -> Bool {
        (try? await ChildProcess.run(["python3", "-c", "import fido2.server, fido2.attestation"]).status) == 0
    }

    /// The verdicts: the credential's ID in hexadecimal, or why not.
    static func verify(_ cases: [Case]) async throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/verify.py")
        return try await TemporaryFolder.with { folder in
            let file = folder + "/cases.json"
            try Data("[\(cases.map(\.json).joined(separator: ","))]".utf8).write(to: URL(filePath: file))
            let run = try await ChildProcess.run(["python3", script.path, file])
            try #require(run.status == 0)
            return run.lines
        }
    }
}
