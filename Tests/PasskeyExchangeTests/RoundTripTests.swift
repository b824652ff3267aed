import CTAP
import PasskeyAuthenticator
import Testing

@testable import PasskeyExchange

/// Survival of each part of a passkey in each format, and the remarks on parts that do not survive.
@Suite struct RoundTripTests {
    /// A passkey, or two, with something that a format may have no place for.
    enum Subject: String, CaseIterable, CustomTestStringConvertible {
        case plain, prf, largeBlob, credProtect, severalAccounts

        var testDescription: String { rawValue }

        func credentials(_ algorithm: COSEAlgorithm) throws -> [Credential] {
            switch self {
            case .plain: [try FormatTestContext.credential(1, algorithm)]
            case .prf: [try FormatTestContext.credential(1, algorithm, prf: PRFSecret())]
            case .largeBlob:
                [
                    try FormatTestContext.credential(
                        1, algorithm, largeBlob: LargeBlob(compressed: [1], originalByteCount: 9))
                ]
            case .credProtect: [try FormatTestContext.credential(1, algorithm, protection: .verificationRequired)]
            case .severalAccounts: try (1...3).map { try FormatTestContext.credential($0, algorithm) }
            }
        }
    }

    /// Outcome for the passkeys of one subject: how many are there again, and the remarks on each.
    private struct Outcome: Equatable {
        var read = 0
        var losses: Set<PasskeyLoss> = []
        var obstacles: Set<PasskeyObstacle> = []
    }

    private static func expected(_ format: PasskeyFormat, _ algorithm: COSEAlgorithm, _ subject: Subject) -> Outcome {
        if format == .bitwarden, algorithm != .es256 { return Outcome(obstacles: [.unsupportedAlgorithm]) }
        var outcome = Outcome(read: subject == .severalAccounts ? 3 : 1)
        if format == .keepassxcPasskey {
            outcome.losses.insert(.names)
            if subject == .severalAccounts { (outcome.read, outcome.obstacles) = (1, [.onePasskeyOnly]) }
        }
        if [.kdbx, .keepassXML].contains(format) { outcome.losses.insert(.names) }
        let keepsPRF = [.cxf, .kdbx, .keepassXML].contains(format)
        switch subject {
        case .credProtect: outcome.losses.insert(.protection)
        case .prf where !keepsPRF: outcome.losses.insert(.prf)
        case .largeBlob where format != .cxf: outcome.losses.insert(.largeBlob)
        default: break
        }
        return outcome
    }

    @Test(
        "What a format has a place for survives, and the rest is told",
        arguments: FormatTestContext.foreign, CredentialKey.algorithms)
    func table(_ format: PasskeyFormat, _ algorithm: COSEAlgorithm) throws {
        for subject in Subject.allCases {
            let credentials = try subject.credentials(algorithm)
            let export = try FormatTestContext.write(format, credentials)
            let read = export.written.isEmpty ? [] : try FormatTestContext.read(format, export.bytes)
            let outcome = Outcome(
                read: read.count, losses: Set(export.records.flatMap(\.losses)),
                obstacles: Set(export.records.compactMap(\.obstacle)))
            #expect(outcome == Self.expected(format, algorithm, subject), "\(subject)")
            for (before, after) in zip(credentials, read) {
                #expect(FormatTestContext.line(after) == FormatTestContext.line(before))
                let keepsPRF = !outcome.losses.contains(.prf)
                #expect(after.prf?.bytes().array() == (keepsPRF ? before.prf?.bytes().array() : nil))
                #expect(after.largeBlob == (outcome.losses.contains(.largeBlob) ? nil : before.largeBlob))
                #expect(after.isBackupEligible && after.isBackedUp)
            }
        }
    }
}
