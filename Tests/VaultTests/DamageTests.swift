import Cryptography
import Encodings
import Foundation
import PasskeyAuthenticator
import Testing

@testable import Vault

/// Files that came to harm or were made to do harm: each is refused, and left as it is.
@Suite(.timeLimit(.minutes(2)))
struct DamageTests {
    @Test func `a bit the other way round is harm, wherever it is`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let whole = try context.bytes()
            for index in whole.indices {
                var file = whole
                file[index] ^= 1 << UInt8(index % 8)
                try context.write(file)
                // The version's own byte may name a newer one.
                #expect([.damaged, .newerVersion].contains(context.refusal(for: .changing)), "byte \(index)")
                #expect(try context.bytes() == file)
            }
        }
    }

    @Test func `a flipped bit with a corrected checksum opens nothing either`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let whole = try context.bytes()
            var codes: Set<String> = []
            for index in whole.indices.dropLast(SHA256.byteCount) {
                var file = Array(whole.dropLast(SHA256.byteCount))
                file[index] ^= 1
                try context.write(file + SHA256.hash(file.span))
                let code = try #require(context.refusal(), "byte \(index)")
                codes.insert(code.rawValue)
            }
            #expect(codes.isSuperset(of: ["damaged", "wrong-passphrase"]))
            #expect(codes.isSubset(of: ["damaged", "wrong-passphrase", "newer-version", "costly"]))
        }
    }

    @Test func `a file that ends too early, or goes on, is damaged`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let whole = try context.bytes()
            for count in 0..<whole.count {
                try context.write(Array(whole.prefix(count)))
                #expect(context.refusal() == .damaged, "\(count) bytes")
            }
            try context.write(whole + [0])
            #expect(context.refusal() == .damaged)
            try context.write([UInt8](repeating: 0xa0, count: VaultFile.maxByteCount + 1))
            #expect(context.refusal() == .damaged)
        }
    }

    @Test(
        arguments: [
            ["log-n": 63, "r": 8, "p": 1], ["log-n": 24, "r": 8, "p": 1], ["log-n": 20, "r": 8, "p": 1],
            ["log-n": 14, "r": 1 << 30, "p": 1], ["log-n": 14, "r": 8, "p": 1 << 30], ["log-n": -1, "r": 8, "p": 1],
            ["log-n": .max, "r": .max, "p": .max], ["log-n": 0, "r": 0, "p": 0],
        ] as [[String: Int64]])
    func `scrypt's parameters of a hostile file cost neither time nor memory`(parameters: [String: Int64]) async throws
    {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            try context.rewriteHeader { header in
                var lock = header["locks"]?.arrayValue?.first?.mapValue ?? [:]
                for (name, number) in parameters { lock[name] = CBORValue(number) }
                header["locks"] = .array([.map(lock)])
            }
            let begun = ContinuousClock.now
            #expect(context.refusal() == .costly)
            #expect(ContinuousClock.now - begun < .seconds(10))
        }
    }

    @Test(arguments: ["id", "nonce", "locks", "version", "format"])
    func `a header without one of its parts is damaged`(part: String) async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            try context.rewriteHeader { $0[part] = nil }
            #expect(context.refusal() == .damaged)
        }
    }

    @Test func `no lock, three locks and a lock of another kind are refused`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            let whole = try context.bytes()
            let lock = VaultHeader.Testing.locks(whole)[0]
            for locks in [[], [lock, lock, lock], [.map(["kind": "retina"])], [1]] as [[CBORValue]] {
                try context.write(whole)
                try context.rewriteHeader { $0["locks"] = .array(locks) }
                #expect(context.refusal() == .damaged)
            }
        }
    }

    @Test func `a newer version is not damaged, whatever it looks like behind its version`() async throws {
        try await VaultTestContext.with { context in
            let header: CBORValue = ["format": "hybrid passkey vault", "version": 2]
            try context.write(header.encoded() + [1, 2, 3])
            #expect(context.refusal(for: .changing) == .newerVersion)
            #expect(throws: VaultError(.newerVersion, reason: "")) { try Vault.summary(at: context.path) }
        }
    }

    @Test(
        arguments: [
            // A KDBX file's signature, a JSON file, a text, an empty file, and a vault of another version.
            [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5], Array("{\"vault\": 1}".utf8), Array("-----BEGIN".utf8),
            [],
            (["format": "hybrid passkey vault", "version": 2] as CBORValue).encoded(),
        ] as [[UInt8]], [0o600, 0o644] as [mode_t])
    func `a file of another format is named by its path`(bytes: [UInt8], mode: mode_t) async throws {
        try await VaultTestContext.with { context in
            try context.write(bytes)
            chmod(context.path, mode)
            let error = #expect(throws: VaultError.self) { try Vault.summary(at: context.path) }
            #expect(error?.reason.hasPrefix("\(context.path): the file ") == true, "\(String(describing: error))")
        }
    }

    @Test func `a vault whose contents were exchanged is named by its path`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            var file = Array(try context.bytes().dropLast(SHA256.byteCount))
            file[file.count - 1] ^= 1
            try context.write(file + SHA256.hash(file.span))
            let error = #expect(throws: VaultError.self) {
                _ = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            }
            #expect(error?.code == .damaged)
            #expect(error?.reason.hasPrefix("\(context.path): the file ") == true, "\(String(describing: error))")
        }
    }

    @Test func `a lock of another vault does not fit`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            let other = VaultTestContext(directory: context.directory + "/other")
            try FileManager.default.createDirectory(atPath: other.directory, withIntermediateDirectories: true)
            try await other.makeVault(VaultTestContext.passphrase("other"), credentials: [])
            let locks = VaultHeader.Testing.locks(try other.bytes())
            try context.rewriteHeader { $0["locks"] = .array(locks) }
            #expect(context.refusal(VaultTestContext.passphrase("other")) == .wrongPassphrase)
        }
    }
}

extension VaultHeader {
    /// Looks into headers for tests.
    enum Testing {
        static func locks(_ file: [UInt8]) -> [CBORValue] {
            (try? VaultHeader.map(file.span).map["locks"]?.arrayValue) ?? []
        }
    }
}

extension VaultTestContext {
    /// Changes the header, and corrects the checksum.
    fileprivate func rewriteHeader(_ change: (inout CBORMap) -> Void) throws {
        let file = try bytes()
        var (map, byteCount) = try VaultHeader.map(file.span)
        change(&map)
        let body = map.encoded() + file[byteCount...].dropLast(SHA256.byteCount)
        try write(body + SHA256.hash(body.span))
    }
}
