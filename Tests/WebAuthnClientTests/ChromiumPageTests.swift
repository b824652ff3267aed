import CTAP
import Encodings
import Foundation
import TestPeers
import Testing
import WebAuthnClient

/// Responses to pages of Chromium 156, from recorded sessions with an authenticator of another make.
@Suite struct ChromiumPageTests {
    struct Page: Decodable {
        let id: String
        let rawId: String
        let clientDataJSON: String
        let attestationObject: String?
        let transports: [String]?
        let pubkey: String?
        let authData: String?
        let signature: String?
        let userHandle: String?

        var clientData: [UInt8] { [UInt8](clientDataJSON.utf8) }
    }

    struct Session: Decodable {
        let name: String
        let page: Page

        static func named(_ name: String) throws -> Page {
            let all: [Session] = try Lab.fixture("chromium-156-pages.json")
            return try #require(all.first { $0.name == name }).page
        }
    }

    static let creations: [(String, RelyingParty.AttestationConveyance)] = [
        ("create-direct-hashed266", .direct), ("create-none", .none),
    ]
    static let createChallenge = bytes("00112233445566778899aabbccddeeff")
    static let getChallenge = bytes("ffeeddccbbaa99887766554433221100")

    static func site() throws -> RelyingParty {
        try RelyingParty(id: "localhost", name: "Lab", origin: "http://localhost:8000")
    }

    static func register(
        _ page: Page, _ asked: RelyingParty.AttestationConveyance, clientData: [UInt8]? = nil, object: [UInt8]? = nil
    ) throws -> VerifiedRegistration {
        let registration = try site().beginRegistration(
            userName: "alice@example.com", displayName: "Alice", userID: bytes("0102030405060708"),
            attestation: asked, challenge: createChallenge)
        let object = object ?? bytes(page.attestationObject ?? "")
        return try registration.verify(
            AttestationObject(decoding: object.span), clientDataJSON: clientData ?? page.clientData,
            transports: page.transports ?? [])
    }

    static func signIn(
        _ page: Page, known: RegisteredCredential, clientData: [UInt8]? = nil, data: [UInt8]? = nil,
        signature: [UInt8]? = nil
    ) throws -> VerifiedSignIn {
        let signIn = try site().beginSignIn(challenge: getChallenge)
        let response = GetAssertionResponse(
            credential: .init(id: bytes(page.rawId)), authenticatorData: data ?? bytes(page.authData ?? ""),
            signature: signature ?? bytes(page.signature ?? ""),
            user: .init(id: bytes(page.userHandle ?? ""), name: nil, displayName: nil))
        return try signIn.verify(response, clientDataJSON: clientData ?? page.clientData) {
            $0 == known.id ? known : nil
        }
    }

    /// True if something is refused, with an error of ours.
    static func isRefused(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch is RelyingPartyError {
            return true
        } catch is CTAPError {
            return true
        }
    }

    /// The bytes with one bit flipped, for each byte another.
    static func flips(of bytes: [UInt8]) -> [(index: Int, bytes: [UInt8])] {
        bytes.indices.flatMap { index in
            [1, UInt8(1) << UInt8(index % UInt8.bitWidth), 0xff].map { mask in
                var flipped = bytes
                flipped[index] ^= mask
                return (index, flipped)
            }
        }
    }

    @Test("New credentials are accepted as the page got them", arguments: creations)
    func newCredentials(name: String, asked: RelyingParty.AttestationConveyance) throws {
        let page = try Session.named(name)
        let verified = try Self.register(page, asked)
        #expect(Base64URL.encode(verified.credential.id) == page.id)
        #expect(hex(verified.credential.publicKey.subjectPublicKeyInfo) == page.pubkey)
        #expect(verified.credential.transports == page.transports)
        #expect(verified.userVerified && verified.attestation == (asked == .direct ? .selfSigned : .none))
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(verified.response.description.utf8)) as? [String: Any])
        let response = try #require(json["response"] as? [String: Any])
        #expect(
            (response["attestationObject"] as? String).flatMap(Base64URL.decode).map { hex($0) }
                == page.attestationObject)
    }

    @Test("The sign-in is accepted with the key that the page was given")
    func signIn() throws {
        let known = try Self.register(Session.named("create-direct-hashed266"), .direct).credential
        let verified = try Self.signIn(Session.named("get-discoverable"), known: known)
        #expect(verified.credential == known && verified.userVerified && !verified.userSelected)
    }

    @Test("A sign-in of another credential's key is refused")
    func otherKey() throws {
        let other = try Self.register(Session.named("create-none"), .none).credential
        let page = try Session.named("get-discoverable")
        let impostor = RegisteredCredential(
            id: bytes(page.rawId), publicKey: other.publicKey, user: other.user, signCount: 0, aaguid: other.aaguid,
            isBackupEligible: false, isBackedUp: false, transports: [])
        #expect(try code { _ = try Self.signIn(page, known: impostor) } == .badSignature)
    }

    @Test("A signed registration is refused with any byte changed")
    func flippedRegistration() throws {
        let page = try Session.named("create-direct-hashed266")
        for (index, object) in Self.flips(of: bytes(try #require(page.attestationObject))) {
            #expect(
                try Self.isRefused { _ = try Self.register(page, .direct, object: object) }, "object, byte \(index)")
        }
        for (index, clientData) in Self.flips(of: page.clientData) {
            #expect(
                try Self.isRefused { _ = try Self.register(page, .direct, clientData: clientData) },
                "client data, byte \(index)")
        }
    }

    @Test("A sign-in is refused with any byte changed")
    func flippedSignIn() throws {
        let known = try Self.register(Session.named("create-direct-hashed266"), .direct).credential
        let page = try Session.named("get-discoverable")
        for (index, data) in Self.flips(of: bytes(try #require(page.authData))) {
            #expect(try Self.isRefused { _ = try Self.signIn(page, known: known, data: data) }, "data, byte \(index)")
        }
        for (index, signature) in Self.flips(of: bytes(try #require(page.signature))) {
            #expect(
                try Self.isRefused { _ = try Self.signIn(page, known: known, signature: signature) },
                "signature, byte \(index)")
        }
        for (index, clientData) in Self.flips(of: page.clientData) {
            #expect(
                try Self.isRefused { _ = try Self.signIn(page, known: known, clientData: clientData) },
                "client data, byte \(index)")
        }
    }

    @Test("An unsigned registration changes only in what it says of itself when a byte is changed")
    func flippedUnsigned() throws {
        let page = try Session.named("create-none")
        let right = try Self.register(page, .none).credential
        for (index, object) in Self.flips(of: bytes(try #require(page.attestationObject))) {
            do {
                let credential = try Self.register(page, .none, object: object).credential
                // The key cannot be changed unnoticed in one byte: the point would leave the curve.
                #expect(credential.publicKey == right.publicKey, "byte \(index)")
            } catch is RelyingPartyError {
            } catch is CTAPError {
            }
        }
    }
}
