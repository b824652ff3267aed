import CommandLine
import DesktopAuthenticator
import Encodings
import FoundationEssentials
import Glibc
import LinuxSupport

/// A report that can be given away: nothing in it names a user, a machine, a path, an address, a site or a service of
/// the user's own.
struct DoctorReport {
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

    private var json: JSONValue {
        let fields: Fields = [
            "format": "hybrid doctor report 1", "version": Version.version,
            // The system's name and version, by its maker, if they are known.
            "system": Self.system(), "date": Self.date(), "roles": roles, "checks": checks.map { $0.json.json() },
            "verdicts": verdicts.map { $0.json.json() }, "ceremonies": ceremonies.map { $0.json.json() },
            // The lines of -v, without hosts.
            "log": LogLines.kept,
        ]
        return fields.json
    }

    /// Writes it to a file that does not exist yet, mode 0600.
    ///
    /// - Throws: ``AtomicFileError``.
    func write(to path: String) throws {
        let bytes = Array("\(json.indented())\n".utf8)
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

extension JSONValue {
    /// The value as JSON text with a line for each element and member, as people read it.
    ///
    /// - Parameter margin: the white space before a line.
    fileprivate func indented(_ margin: String = "") -> String {
        let inner = margin + "  "
        switch self {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + $0.indented(inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(margin)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONValue.string($0.name).text) : \($0.value.indented(inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        default: return text
        }
    }
}
