import BluetoothLE
import Cryptography
import Foundation
import HybridProtocol
import HybridTransport
import LinuxSupport
import Testing
import TunnelClient

@testable import DesktopAuthenticator
@testable import hybrid

/// The machine that a test examines: a radio that hears these adverts, a folder for the vault, and tunnel services.
struct DoctorTestContext {
    let folder: String
    var adverts: [ReceivedAdvert] = []
    var radioFailure: RadioError?
    var terminal = TerminalState(size: (80, 40), showsPictures: true, needed: (45, 26))
    var services: [TunnelTarget] = []
    var vault: String? { folder + "/passkeys.vault" }

    /// Runs with a folder that is its owner's alone.
    static func with(_ body: (inout Self) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-doctor-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        var context = Self(folder: folder.path)
        try await body(&context)
    }

    /// The examination of these roles.
    func examination(for roles: Set<DoctorRole>) -> Examination {
        var setup = DoctorSetup(
            radio: .simulated([]), scanner: HearingScanner(adverts: adverts, failure: radioFailure), vault: vault,
            terminal: terminal, services: services)
        setup.keyPlaces = KeyPlaces(
            kernel: folder + "/uhid", broker: folder + "/key.socket", rules: [folder + "/no-rules", folder])
        return Examination(setup, for: roles)
    }

    /// The results of an examination, in the order in which they are given.
    func results(for roles: Set<DoctorRole>) async throws -> [(check: Check, result: CheckResult)] {
        var results: [(Check, CheckResult)] = []
        try await examination(for: roles).run { _ in
        } report: {
            results.append(($0, $1))
        }
        return results
    }

    /// The result of one check.
    func result(_ name: CheckName, for role: DoctorRole) async throws -> CheckResult? {
        try await results(for: [role]).first { $0.check.name == name }?.result
    }

    /// Expects the result of one check.
    func expect(
        _ name: CheckName, for role: DoctorRole, _ expected: CheckResult,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let seen = try await result(name, for: role)
        #expect(seen == expected, sourceLocation: sourceLocation)
    }

    /// A tunnel service at this address.
    static func target(
        _ address: String, _ name: TunnelTarget.Name = .given, contact: TunnelTarget.Contact = .yes
    ) throws -> TunnelTarget {
        TunnelTarget(
            name, TunnelURL.Service(address: address), opener: try TunnelClient(), authorityFiles: [],
            for: Set(DoctorRole.allCases), contact: contact)
    }
}

/// A secret of this text.
func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

/// Changes the permissions of a file or a folder.
func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

/// A radio that hears some adverts and nothing more, or fails.
private struct HearingScanner: AdvertScanner {
    let adverts: [ReceivedAdvert]
    let failure: RadioError?

    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        if let failure { throw failure }
        return try await body(
            ReceivedAdverts { continuation in
                for advert in adverts { continuation.yield(advert) }
                continuation.finish()
            })
    }
}
