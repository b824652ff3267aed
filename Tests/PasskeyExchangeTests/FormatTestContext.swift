import CTAP
import Cryptography
import Encodings
import Foundation
import PasskeyAuthenticator
import TestPeers

@testable import PasskeyExchange

/// The shared context of the tests of all formats: passkeys, and the peer in Python.
enum FormatTestContext {
    static let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/peer.py").path
    private static let python: String? = [".build-peers/bin/python3", "python3"].first { python in
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, "-c", "import cryptography, fido2.cose, pykeepass"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
    static let isPeerInstalled = python != nil

    /// A passkey as the peer tells it: a line of JSON with the members in their order.
    static func line(_ credential: Credential) -> String {
        let value: JSONValue = [
            "cose": .string(hex(credential.key.publicKey.encoded())), "id": .string(hex(credential.id)),
            "name": .string(credential.userName ?? ""), "rp": .string(credential.rpID),
            "user": .string(hex(credential.userHandle)),
        ]
        return value.text
    }

    /// Runs the peer on a file.
    ///
    /// - Returns: the passkeys that it tells.
    static func runPeer(_ verb: String, _ format: PasskeyFormat, _ path: String) async throws -> [String] {
        let (status, lines) = try await ChildProcess.run([python ?? "python3", peer, verb, format.rawValue, path])
        guard status == 0 else { throw CocoaError(.executableLoad) }
        return try lines.map { try JSONValue(parsing: $0).text }
    }

    static func withFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let path = FileManager.default.temporaryDirectory.appending(path: "hybrid-formats-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    /// A passkey with all that there is.
    static func credential(
        _ number: UInt8 = 1, _ algorithm: COSEAlgorithm = .es256,
        protection: CredentialProtection = .verificationOptional,
        prf: PRFSecret? = nil, largeBlob: LargeBlob? = nil, isDiscoverable: Bool = true, isBackupEligible: Bool = true
    ) throws -> Credential {
        Credential(
            id: [UInt8](repeating: number, count: 32), rpID: "example.com", rpName: "Example",
            userHandle: [number, 0xFF], userName: "alice\(number)", userDisplayName: "Alice",
            isDiscoverable: isDiscoverable, key: try CredentialKey(algorithm), protection: protection, prf: prf,
            isBackupEligible: isBackupEligible, created: 1_700_000_000, lastUsed: 1_800_000_000, largeBlob: largeBlob)
    }

    /// The records of a CXF file.
    static func read(cxf text: String) throws(PasskeyFormatError) -> [PasskeyRecord] {
        var records: [PasskeyRecord] = []
        _ = try CXF.read(Array(text.utf8).span) { records.append($0) }
        return records
    }
}

extension PasskeyRecord {
    /// The reason for which it is left out; nil if it is not.
    var obstacle: PasskeyObstacle? {
        guard case .leftOut(let obstacle) = outcome else { return nil }
        return obstacle
    }
}

extension SecretBytes {
    /// The bytes, for tests to compare.
    borrowing func array() -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}

extension FormatTestContext {
    /// The passkeys of a file.
    static func read(_ format: PasskeyFormat, _ bytes: some Sequence<UInt8>) throws -> [Credential] {
        var passkeys: [Credential] = []
        let bytes = Array(bytes)
        let take = { (record: PasskeyRecord) in if let passkey = record.passkey { passkeys.append(passkey) } }
        if let clearText = format.clearText {
            _ = try clearText.read(bytes.span, take)
        } else {
            _ = try KDBX.read(bytes.span, passphrase: passphrase, take)
        }
        return passkeys
    }

    /// A file with passkeys.
    static func write(_ format: PasskeyFormat, _ credentials: [Credential]) throws -> PasskeyExport {
        guard let clearText = format.clearText else {
            return try KDBX.encode(credentials, at: 1_700_000_000, passphrase: passphrase)
        }
        return try clearText.encode(credentials, at: 1_700_000_000)
    }

    /// The formats of other programs.
    static let foreign = PasskeyFormat.allCases.filter { $0 != .hybrid }

    /// The peer's.
    static var passphrase: SecretBytes {
        let bytes = Array("open sesame".utf8)
        return SecretBytes(copying: bytes.span)
    }
}

extension PasskeyExport {
    /// A copy of the file.
    var bytes: [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}
