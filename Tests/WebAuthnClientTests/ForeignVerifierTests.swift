import CTAP
import Encodings
import Foundation
import TestPeers
import Testing
import WebAuthnClient

/// Our JSON as other relying parties' libraries take it.
@Suite struct ForeignVerifierTests {
    @Test(
        "python-fido2 verifies what we print, and nothing else",
        .enabled("the Python package fido2 is not installed") { await ForeignVerifier.fido2.isPresent() })
    func fido2() async throws {
        try await Self.check(.fido2)
    }

    @Test(
        "py_webauthn verifies what we print, and nothing else",
        .enabled("the Python package webauthn is not installed") { await ForeignVerifier.webauthn.isPresent() })
    func webauthn() async throws {
        try await Self.check(.webauthn)
    }

    private static func check(_ verifier: ForeignVerifier) async throws {
        var right: [Ceremonies] = []
        for attestation in RelyingParty.AttestationConveyance.allCases {
            right.append(try Ceremonies(attestation, isDiscoverable: true))
            right.append(try Ceremonies(attestation, isDiscoverable: false))
        }
        for algorithm in RelyingParty.algorithms {
            right.append(try Ceremonies(.direct, isDiscoverable: true, algorithm))
        }
        let certificates = try AttestationTests.Certificates.all()
        let certificate = bytes(try #require(certificates.certificates["right"]))
        right.append(
            try Ceremonies(.direct, isDiscoverable: true) { data, hash in
                try AttestationTests.certified([certificate], data, hash)
            })
        let id = hex(TestAuthenticator().credentialID)
        #expect(try await verifier.verify(right) == right.map { _ in id })

        var wrong = [right[0], right[0], right[0], right[0]]
        wrong[0].registrationChallenge = right[1].registrationChallenge
        wrong[1].signInChallenge = right[1].signInChallenge
        wrong[2].origin = "https://example.org"
        wrong[3].signIn = wrong[3].signIn.replacing("\"signature\":\"ME", with: "\"signature\":\"MA")
        #expect(wrong[3].signIn != right[0].signIn)
        let verdicts = try await verifier.verify(wrong)
        #expect(verdicts.count == wrong.count && verdicts.allSatisfy { $0.hasPrefix("refused:") }, "\(verdicts)")
    }
}

/// A registration and a sign-in as JSON, verified by our own relying party.
private struct Ceremonies {
    var origin = "https://example.com"
    var registrationChallenge: String
    let registration: String
    var signInChallenge: String
    var signIn: String

    /// Makes and uses a passkey, with a self-attestation or the statement that is made of data and hash.
    init(
        _ attestation: RelyingParty.AttestationConveyance, isDiscoverable: Bool, _ algorithm: COSEAlgorithm = .es256,
        statement: ((_ data: [UInt8], _ hash: [UInt8]) throws -> CBORMap)? = nil
    ) throws {
        var authenticator = TestAuthenticator()
        authenticator.algorithm = algorithm
        let registration = try Lab.site().beginRegistration(
            userName: "alice", userID: Lab.user, discoverable: isDiscoverable, attestation: attestation,
            algorithms: [algorithm])
        registrationChallenge = Base64URL.encode(registration.challenge)
        let hash = registration.request.clientDataHash
        var made = try authenticator.register(hash)
        if let statement { made.attestationStatement = try statement(made.authenticatorData, hash) }
        let verified = try registration.verify(made)
        self.registration = verified.response.description
        let signIn = try Lab.site().beginSignIn(allow: isDiscoverable ? [] : [verified.credential.id])
        signInChallenge = Base64URL.encode(signIn.challenge)
        let answer = try authenticator.signIn(signIn.request.clientDataHash, user: isDiscoverable ? Lab.user : nil)
        self.signIn = try signIn.verify(answer) { _ in verified.credential }.response.description
    }

    var json: String {
        """
        {"rpID":"example.com","origin":"\(origin)","registrationChallenge":"\(registrationChallenge)",\
        "registration":\(registration),"signInChallenge":"\(signInChallenge)","signIn":\(signIn)}
        """
    }
}

/// A library that Peer/verify.py can call.
private enum ForeignVerifier: String {
    case fido2
    case webauthn

    /// True if the library is here.
    func isPresent() async -> Bool {
        (try? await ChildProcess.run(["python3", "-c", "import \(rawValue)"]).status) == 0
    }

    /// The verdicts: the credential's ID in hexadecimal, or why not.
    func verify(_ cases: [Ceremonies]) async throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/verify.py")
        return try await TemporaryFolder.with { folder in
            let file = folder + "/cases.json"
            try Data("[\(cases.map(\.json).joined(separator: ","))]".utf8).write(to: URL(filePath: file))
            let run = try await ChildProcess.run(["python3", script.path, rawValue, file])
            try #require(run.status == 0)
            return run.lines
        }
    }
}
