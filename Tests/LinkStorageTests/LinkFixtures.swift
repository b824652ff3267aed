import Cryptography
import Encodings
import Foundation
import HybridProtocol
import HybridTransport
import Testing

/// Links to keep: whose authenticator is `key`, everything else drawn or counted.
enum Fixture {
    /// Runs in a folder of its own.
    static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "hybrid-transport-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

    static func publicKey() throws -> P256.PublicKey { try P256.PrivateKey.generate().publicKey }

    static func link(
        _ number: UInt8, of key: P256.PublicKey? = nil, contactID: [UInt8] = [1], name: String = "phone",
        secret: UInt8 = 7
    ) throws -> SharedLink {
        let key = try key ?? publicKey()
        let stored: CBORValue = [
            0: 1, 1: .bytes(contactID), 2: .bytes([UInt8](repeating: number, count: LinkID.byteCount)),
            3: .bytes([UInt8](repeating: secret, count: LinkSecret.byteCount)), 4: .bytes(key.uncompressed),
            5: .text(name), 6: 0,
        ]
        let encoded = stored.encoded()
        return SharedLink(try Link(decoding: encoded.span))
    }

    static func entry(
        _ number: UInt8, contactID: [UInt8] = [1], name: String = "desktop"
    ) throws -> AuthenticatorLinkFile.Entry {
        AuthenticatorLinkFile.Entry(
            linkID: try LinkID([UInt8](repeating: number, count: LinkID.byteCount)),
            contactID: try ContactID(contactID), name: name, created: 100)
    }

    static func key(_ byte: UInt8) throws -> LinkSealingKey {
        let bytes = [UInt8](repeating: byte, count: LinkSealingKey.byteCount)
        return try LinkSealingKey(SecretBytes(copying: bytes.span))
    }

    static func root(
        _ contents: AuthenticatorLinkFile.Contents, _ key: LinkSealingKey? = nil
    ) throws -> [UInt8] {
        let root = try contents.rootSecret(openedWith: key)
        return root.span.withUnsafeBufferPointer { Array($0) }
    }

    static func contents(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    static func write(_ bytes: [UInt8], to path: String, mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path))
        try setMode(mode, path)
    }

    static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    static func code(_ body: () throws -> Void) throws -> LinkFileError.Code? {
        do {
            try body()
            return nil
        } catch let error as LinkFileError {
            return error.code
        }
    }
}

/// All kinds of file, for properties that each has.
enum LinkFileKind: CaseIterable {
    case client, authenticator, sealedAuthenticator

    /// Puts a file with two links there.
    func make(_ path: String) throws {
        for number in UInt8(1)...2 { try add(number, path) }
        if self == .sealedAuthenticator { _ = try AuthenticatorLinkFile(path: path).sealed(under: Fixture.key(1)) }
    }

    var isClient: Bool { self == .client }

    func add(_ number: UInt8, _ path: String) throws {
        switch self {
        case .client: try ClientLinkFile(path: path).add(Fixture.link(number), at: 100)
        case .authenticator, .sealedAuthenticator: try AuthenticatorLinkFile(path: path).add(Fixture.entry(number))
        }
    }

    /// The number of links.
    func count(_ path: String) throws -> Int {
        switch self {
        case .client: try ClientLinkFile(path: path).links().count
        case .authenticator, .sealedAuthenticator:
            try AuthenticatorLinkFile(path: path).contents()?.entries.count ?? 0
        }
    }

    /// All that changes a file, each on its own.
    func changes(_ path: String) -> [() throws -> Void] {
        switch self {
        case .client:
            let file = ClientLinkFile(path: path)
            return [
                { try file.add(Fixture.link(3), at: 100) }, { try file.markUsed([1], at: 5) }, { try file.forget([1]) },
            ]
        case .authenticator, .sealedAuthenticator:
            let file = AuthenticatorLinkFile(path: path)
            return [
                { try file.add(Fixture.entry(3)) }, { try file.markUsed(Fixture.entry(1).linkID, at: 5) },
                { try file.revoke(Fixture.entry(1).linkID) }, { _ = try file.contentsOrNew() },
                { _ = try file.sealed(under: Fixture.key(1)) },
            ]
        }
    }
}
