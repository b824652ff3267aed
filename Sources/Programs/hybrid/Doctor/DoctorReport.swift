import CommandLine
import DesktopAuthenticator
import FoundationEssentials
import Glibc
import LinuxSupport

/// A report that can be given away: nothing in it names a user, a machine, a path, an address, a site or a service of
/// the user's own.
struct DoctorReport: Encodable {
    let format = "hybrid doctor report 1"
    let version = Version.version
    /// The system's name and version, by its maker; nil if they are not known.
    let system = Self.system()
    let date = Self.date()
    let roles: [String]
    let checks: [CheckLine]
    let verdicts: [RoleVerdict]
    let ceremonies: [CeremonyRecord]

    private static let systemFile = "/etc/os-release"
    private static let longestSystemFile = 16_384
    private static let nameField = "PRETTY_NAME="

    init(_ roles: [DoctorRole], _ checks: [CheckLine], _ verdicts: [RoleVerdict], _ ceremonies: [CeremonyRecord]) {
        self.roles = roles.map(\.rawValue)
        self.checks = checks
        self.verdicts = verdicts
        self.ceremonies = ceremonies
    }

    /// Writes it to a file that is not there yet, mode 0600.
    ///
    /// - Throws: ``AtomicFileError``.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        try AtomicFile(path: path).create(with: bytes.span)
    }

    /// Today, in UTC: `2026-11-22`.
    static func date() -> String {
        Date().formatted(.iso8601.year().month().day())
    }

    private static func system() -> String? {
        let file = open(systemFile, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let bytes = try? StandardStreams.read(limit: longestSystemFile, from: file) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(nameField) }
        return line.map { $0.dropFirst(nameField.count).filter { $0 != "\"" } }.map { String($0) }
    }
}
