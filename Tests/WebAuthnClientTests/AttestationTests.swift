import CTAP
import Cryptography
import Encodings
import TestPeers
import Testing
import WebAuthnClient

/// WebAuthn Level 3 sections 8.2 (packed) and 8.7 (none).
@Suite struct AttestationTests {
    struct Certificates: Decodable {
        let aaguid: String
        let scalar: String
        let certificates: [String: String]

        static func all() throws -> Certificates { try Lab.fixture("certificates.json") }
    }

    /// Outcome of an answer with this statement.
    static func outcome(
        _ format: String = "packed", asked: RelyingParty.AttestationConveyance = .direct,
        _ statement: (_ data: [UInt8], _ hash: [UInt8]) throws -> CBORMap
    ) throws -> Result<AttestationType, RelyingPartyError> {
        let registration = try Lab.site().beginRegistration(userName: "a", attestation: asked)
        var answer = try TestAuthenticator().registerWithoutStatement()
        answer.format = format
        answer.attestationStatement = try statement(answer.authenticatorData, registration.request.clientDataHash)
        do {
            return .success(try registration.verify(answer).attestation)
        } catch let error {
            return .failure(error)
        }
    }

    static func refusal(_ code: RelyingPartyError.Code) -> Result<AttestationType, RelyingPartyError> {
        .failure(RelyingPartyError(code, reason: ""))
    }

    /// A statement signed with a certificate's key.
    static func certified(
        _ certificates: [[UInt8]], _ data: [UInt8], _ hash: [UInt8]
    ) throws -> CBORMap {
        let authenticator = TestAuthenticator(scalar: bytes(try Certificates.all().scalar))
        let signature = try authenticator.sign(data, hash)
        return ["alg": -7, "sig": .bytes(signature), "x5c": .array(certificates.map(CBORValue.bytes))]
    }

    @Test("No statement proves nothing, whatever was asked for", arguments: RelyingParty.AttestationConveyance.allCases)
    func none(asked: RelyingParty.AttestationConveyance) throws {
        #expect(try Self.outcome("none", asked: asked) { _, _ in [:] } == .success(.none))
    }

    @Test("Format none with a statement is refused")
    func noneWithStatement() throws {
        #expect(try Self.outcome("none") { _, _ in ["alg": -7] } == Self.refusal(.badAttestation))
    }

    @Test("A statement signed with the credential's key is self-attestation")
    func selfSigned() throws {
        let outcome = try Self.outcome { data, hash in
            ["alg": -7, "sig": .bytes(try TestAuthenticator().sign(data, hash))]
        }
        #expect(outcome == .success(.selfSigned))
    }

    @Test(
        "A wrong statement is refused, also if none was asked for",
        arguments: RelyingParty.AttestationConveyance.allCases)
    func wrong(asked: RelyingParty.AttestationConveyance) throws {
        let authenticator = TestAuthenticator()
        let other = TestAuthenticator(scalar: [UInt8](repeating: 9, count: 32))
        let wrong: [(String, ([UInt8], [UInt8]) throws -> CBORMap)] = [
            ("nothing", { _, _ in [:] }),
            ("no signature", { _, _ in ["alg": -7] }),
            ("no algorithm", { ["sig": .bytes(try authenticator.sign($0, $1))] }),
            ("a text for a signature", { _, _ in ["alg": -7, "sig": "x"] }),
            ("another algorithm", { ["alg": -257, "sig": .bytes(try authenticator.sign($0, $1))] }),
            ("another's signature", { ["alg": -7, "sig": .bytes(try other.sign($0, $1))] }),
            ("a signature over less", { data, _ in ["alg": -7, "sig": .bytes(try authenticator.sign(data, []))] }),
            ("no certificate", { try Self.certified([], $0, $1) }),
            ("an empty certificate", { try Self.certified([[]], $0, $1) }),
            ("a text for certificates", { ["alg": -7, "sig": .bytes(try authenticator.sign($0, $1)), "x5c": "x"] }),
        ]
        for (what, statement) in wrong {
            #expect(try Self.outcome(asked: asked, statement) == Self.refusal(.badAttestation), "\(what)")
        }
    }

    @Test(
        "A format that is not known here is refused if asked for, and reported if not",
        arguments: ["fido-u2f", "android-key", "apple", "tpm", "Packed"])
    func unknownFormat(format: String) throws {
        let statement: CBORMap = ["x5c": [.bytes([1])], "sig": .bytes([2])]
        #expect(try Self.outcome(format) { _, _ in statement } == Self.refusal(.unsupportedAttestation))
        #expect(try Self.outcome(format, asked: .none) { _, _ in statement } == .success(.unverified(format: format)))
    }

    @Test(
        "A format that has not the form of a name is refused",
        arguments: ["", "a b", "a\n", "\u{1b}[31m", "ä", "a\"b", "a\\b", String(repeating: "a", count: 33)])
    func badFormat(format: String) throws {
        #expect(try Self.outcome(format, asked: .none) { _, _ in [:] } == Self.refusal(.badAttestation))
    }

    @Test("A statement signed with a fitting certificate's key is reported with its chain unverified")
    func certificate() throws {
        let all = try Certificates.all()
        #expect(bytes(all.aaguid) == TestAuthenticator().aaguid)
        for name in ["right", "right, without an AAGUID"] {
            let certificate = bytes(try #require(all.certificates[name]))
            let outcome = try Self.outcome { try Self.certified([certificate, [1, 2, 3]], $0, $1) }
            #expect(outcome == .success(.certificateOfUnverifiedChain), "\(name)")
        }
    }

    @Test(
        "A certificate that WebAuthn forbids is refused",
        arguments: [
            "no organisational unit", "another organisational unit", "an authority", "no basic constraints",
            "another AAGUID", "a critical AAGUID", "no country", "no organisation", "no common name",
        ])
    func forbidden(name: String) throws {
        let certificate = bytes(try #require(Certificates.all().certificates[name]))
        #expect(try Self.outcome { try Self.certified([certificate], $0, $1) } == Self.refusal(.badAttestation))
    }

    @Test("A certificate's key of another kind cannot be verified here", arguments: ["a key on P-384", "an RSA key"])
    func otherKeys(name: String) throws {
        let certificate = bytes(try #require(Certificates.all().certificates[name]))
        #expect(try Self.outcome { try Self.certified([certificate], $0, $1) } == Self.refusal(.unsupportedAttestation))
        #expect(
            try Self.outcome(asked: .none) { try Self.certified([certificate], $0, $1) }
                == .success(.unverified(format: "packed")))
    }

    @Test("A statement for another algorithm than ES256 cannot be verified here")
    func otherAlgorithm() throws {
        let certificate = bytes(try #require(Certificates.all().certificates["right"]))
        let outcome = try Self.outcome { data, hash in
            var statement = try Self.certified([certificate], data, hash)
            statement["alg"] = -35
            return statement
        }
        #expect(outcome == Self.refusal(.unsupportedAttestation))
    }

    @Test("A certificate whose length is not written the shortest way is refused")
    func notDER() throws {
        let certificate = bytes(try #require(Certificates.all().certificates["right"]))
        // A sequence of two length octets; the same length in three.
        try #require(certificate.starts(with: [0x30, 0x82]))
        let longer = [0x30, 0x83, 0x00] + certificate.dropFirst(2)
        #expect(try Self.outcome { try Self.certified([longer], $0, $1) } == Self.refusal(.badAttestation))
    }

    @Test("A signature of another key than the certificate's is refused")
    func otherSigner() throws {
        let certificate = bytes(try #require(Certificates.all().certificates["right"]))
        let outcome = try Self.outcome { data, hash in
            var statement = try Self.certified([certificate], data, hash)
            statement["sig"] = .bytes(try TestAuthenticator().sign(data, hash))
            return statement
        }
        #expect(outcome == Self.refusal(.badAttestation))
    }

    @Test("A certificate that ends early or goes on is refused, wherever it ends")
    func truncated() throws {
        let certificate = bytes(try #require(Certificates.all().certificates["right"]))
        for count in certificate.indices {
            let cut = [UInt8](certificate.prefix(count))
            #expect(try Self.outcome { try Self.certified([cut], $0, $1) } == Self.refusal(.badAttestation), "\(count)")
        }
        let longer = certificate + [0]
        #expect(try Self.outcome { try Self.certified([longer], $0, $1) } == Self.refusal(.badAttestation))
    }

    @Test("A flipped bit of a certificate changes only what is not verified")
    func flipped() throws {
        let certificate = bytes(try #require(Certificates.all().certificates["right"]))
        let allowed: Set<RelyingPartyError.Code> = [.badAttestation, .unsupportedAttestation]
        var refused = 0
        for index in certificate.indices {
            var flipped = certificate
            flipped[index] ^= 1 << UInt8(index % UInt8.bitWidth)
            let outcome = try Self.outcome { try Self.certified([flipped], $0, $1) }
            switch outcome {
            case .success(let attestation): #expect(attestation == .certificateOfUnverifiedChain)
            case .failure(let error):
                #expect(allowed.contains(error.code))
                refused += 1
            }
        }
        // Serial number, validity, issuer and the issuer's signature are not looked at; the structure and the key are.
        #expect(refused > certificate.count / 3)
    }
}
