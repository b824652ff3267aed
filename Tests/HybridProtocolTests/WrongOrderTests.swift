import Foundation
import TestPeers
import Testing

/// A wrong order does not compile: the compiler itself is the peer here.
@Suite("The compiler", .enabled(if: Compiler.isThere), .timeLimit(.minutes(10)))
struct WrongOrderTests {
    /// A piece of code, and the compiler's message about it; nothing if it is right.
    struct Snippet: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let complaint: String?

        init(_ name: String, _ code: String, _ complaint: String? = nil) {
            testDescription = name
            self.code = code
            self.complaint = complaint
        }
    }

    static let snippets = [
        Snippet(
            "the right order of a client",
            """
            func client(_ invitation: consuming ClientInvitation, _ advert: AdvertPlaintext,
                        _ key: consuming P256.PrivateKey, _ response: [UInt8], _ first: [UInt8]) throws -> [UInt8] {
                let initiator = try Initiator(invitation, advert: advert, ephemeralKey: key)
                var session = try initiator.finish(response.span).readFirstMessage(first)
                return try session.sealRequest(.ctap([4]))
            }
            """),
        Snippet(
            "the right order of an authenticator",
            """
            func authenticator(_ invitation: consuming Invitation, _ advert: AdvertPlaintext,
                               _ key: consuming P256.PrivateKey, _ message: [UInt8], _ info: FirstMessage,
                               _ frame: [UInt8]) throws -> [UInt8] {
                let connected = try Responder(invitation, advert: advert).answer(message.span, ephemeralKey: key)
                var session = try connected.sendFirstMessage(info)
                _ = try session.open(frame)
                return try session.sealResponse(.ctap([0]))
            }
            """),
        Snippet(
            "the right order of a linked client",
            """
            func linked(_ link: consuming Link, _ nonce: ClientNonce, _ data: [UInt8], _ key: consuming P256.PrivateKey,
                        _ response: [UInt8], _ first: [UInt8]) throws -> [UInt8] {
                let attempt = try LinkedAttempt(link, nonce: nonce, hint: .getAssertion)
                var advertKey = try attempt.advertKey()
                let advert = try advertKey.openLinked(data.span)
                let initiator = try Initiator(attempt, advert: advert, ephemeralKey: key)
                var session = try initiator.finish(response.span).readFirstMessage(first)
                return try session.sealRequest(.ctap([4]))
            }
            """),
        Snippet(
            "a linked attempt that is used for two handshakes",
            """
            func twice(_ attempt: consuming LinkedAttempt, _ advert: LinkedAdvertPlaintext,
                       _ one: consuming P256.PrivateKey, _ two: consuming P256.PrivateKey) throws {
                _ = try Initiator(attempt, advert: advert, ephemeralKey: one)
                _ = try Initiator(attempt, advert: advert, ephemeralKey: two)
            }
            """, "'attempt' consumed more than once"),
        Snippet(
            "a call that is answered twice",
            """
            func twice(_ woken: consuming WokenSession, _ advert: LinkedAdvertPlaintext) throws {
                _ = try Responder(woken, advert: advert)
                _ = try Responder(woken, advert: advert)
            }
            """, "'woken' consumed more than once"),
        Snippet(
            "an application's code that is answered as one of requests",
            """
            func mixed(_ invitation: consuming ApplicationInvitation, _ advert: AdvertPlaintext) throws {
                _ = try Responder(invitation, advert: advert)
            }
            """, "cannot convert value of type 'ApplicationInvitation' to expected argument type 'Invitation'"),
        Snippet(
            "a QR code's advert in a linked session",
            """
            func mixed(_ woken: consuming WokenSession, _ advert: AdvertPlaintext) throws {
                _ = try Responder(woken, advert: advert)
            }
            """, "no exact matches in call to initializer"),
        Snippet(
            "an update before the first message",
            """
            func early(_ authenticator: inout ConnectedAuthenticator) throws { _ = try authenticator.sealUpdate() }
            """, "value of type 'ConnectedAuthenticator' has no member 'sealUpdate'"),
        Snippet(
            "a link that no authenticator has signed",
            """
            func make(_ contact: ContactID, _ id: LinkID, _ key: P256.PublicKey,
                      _ secret: consuming LinkSecret) -> Link {
                Link(contactID: contact, linkID: id, publicKey: key, name: "", domain: .google, secret: secret)
            }
            """, "extra arguments at positions"),
        Snippet(
            "the description of a link, which holds its secret",
            """
            func describe(_ link: borrowing Link) -> String { "\\(link)" }
            """, "no exact matches in call to instance method 'appendInterpolation'"),
        Snippet(
            "an initiator that finishes twice",
            """
            func twice(_ initiator: consuming Initiator, _ response: [UInt8]) throws {
                _ = try initiator.finish(response.span)
                _ = try initiator.finish(response.span)
            }
            """, "'initiator' consumed more than once"),
        Snippet(
            "a responder that answers twice",
            """
            func twice(_ responder: consuming Responder, _ message: [UInt8], _ one: consuming P256.PrivateKey,
                       _ two: consuming P256.PrivateKey) throws {
                _ = try responder.answer(message.span, ephemeralKey: one)
                _ = try responder.answer(message.span, ephemeralKey: two)
            }
            """, "'responder' consumed more than once"),
        Snippet(
            "an invitation that is used for two handshakes",
            """
            func twice(_ invitation: consuming Invitation, _ advert: AdvertPlaintext) throws {
                _ = try Responder(invitation, advert: advert)
                _ = try Responder(invitation, advert: advert)
            }
            """, "'invitation' consumed more than once"),
        Snippet(
            "an ephemeral key that is used for two handshakes",
            """
            func twice(_ one: consuming ClientInvitation, _ two: consuming ClientInvitation, _ advert: AdvertPlaintext,
                       _ key: consuming P256.PrivateKey) throws {
                _ = try Initiator(one, advert: advert, ephemeralKey: key)
                _ = try Initiator(two, advert: advert, ephemeralKey: key)
            }
            """, "'key' consumed more than once"),
        Snippet(
            "two first messages to read",
            """
            func twice(_ client: consuming ConnectedClient, _ frame: [UInt8]) throws {
                _ = try client.readFirstMessage(frame)
                _ = try client.readFirstMessage(frame)
            }
            """, "'client' consumed more than once"),
        Snippet(
            "two first messages to send",
            """
            func twice(_ authenticator: consuming ConnectedAuthenticator, _ message: FirstMessage) throws {
                _ = try authenticator.sendFirstMessage(message)
                _ = try authenticator.sendFirstMessage(message)
            }
            """, "'authenticator' consumed more than once"),
        Snippet(
            "a request before the first message",
            """
            func early(_ client: inout ConnectedClient) throws { _ = try client.sealRequest(.ctap([4])) }
            """, "value of type 'ConnectedClient' has no member 'sealRequest'"),
        Snippet(
            "a request before the handshake",
            """
            func early(_ initiator: inout Initiator) throws { _ = try initiator.sealRequest(.ctap([4])) }
            """, "value of type 'Initiator' has no member 'sealRequest'"),
        Snippet(
            "an answer before the first message",
            """
            func early(_ authenticator: inout ConnectedAuthenticator) throws {
                _ = try authenticator.sealResponse(.ctap([0]))
            }
            """, "value of type 'ConnectedAuthenticator' has no member 'sealResponse'"),
        Snippet(
            "a copy of a secure channel, and so of its counters",
            """
            func copy(_ channel: borrowing SecureChannel) -> SecureChannel { channel }
            """, "'channel' is borrowed and cannot be consumed"),
        Snippet(
            "a copy of a running session",
            """
            func copy(_ session: borrowing ClientSession) -> ClientSession { session }
            """, "'session' is borrowed and cannot be consumed"),
        Snippet(
            "a secure channel of one's own",
            """
            func make() -> SecureChannel { SecureChannel() }
            """, "'SecureChannel' initializer is inaccessible"),
        Snippet(
            "the description of an invitation, which holds the secret",
            """
            func describe(_ invitation: borrowing Invitation) -> String { "\\(invitation)" }
            """, "no exact matches in call to instance method 'appendInterpolation'"),
        Snippet(
            "the secret of an invitation",
            """
            func secret(_ invitation: borrowing Invitation) -> Int { invitation.secret.count }
            """, "'secret' is inaccessible due to 'internal' protection level"),
    ]

    @Test("takes the right order, and refuses", arguments: snippets)
    func compiles(snippet: Snippet) async throws {
        let complaints = try await Compiler.complaints(about: snippet.code)
        if let complaint = snippet.complaint {
            #expect(complaints.contains { $0.contains("error: ") && $0.contains(complaint) }, "\(complaints)")
        } else {
            #expect(complaints.isEmpty)
        }
    }
}

/// The Swift compiler, run on a snippet against the modules that these tests were built with.
enum Compiler {
    private static let modules: URL? = {
        // Beside the test program, as the package manager lays it out.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let folder = program.deletingLastPathComponent().appendingPathComponent("Modules")
        let module = folder.appendingPathComponent("HybridProtocol.swiftmodule")
        return FileManager.default.fileExists(atPath: module.path) ? folder : nil
    }()

    /// True if the modules are where the package manager puts them.
    static var isThere: Bool { modules != nil }

    /// The compiler's errors and warnings about a snippet, a line an element.
    static func complaints(about code: String) async throws -> [String] {
        let modules = try #require(modules)
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("snippet.swift")
        try ("import Cryptography\nimport HybridProtocol\n" + code).write(to: file, atomically: true, encoding: .utf8)
        // Ownership is checked when the intermediate language is made, after the types.
        let moduleMaps = ["COpenSSL", "CZlib"].flatMap { name in
            ["-Xcc", "-fmodule-map-file=\(package.path)/Sources/Core/\(name)/module.modulemap"]
        }
        let command =
            [
                "swiftc", "-emit-sil", "-swift-version", "6", "-I", modules.path, "-o", "/dev/null", file.path,
            ] + moduleMaps
        let (_, lines) = try await ChildProcess.run(["sh", "-c", "exec \"$0\" \"$@\" 2>&1"] + command)
        return lines.filter { $0.contains("error: ") || $0.contains("warning: ") }
    }
}
