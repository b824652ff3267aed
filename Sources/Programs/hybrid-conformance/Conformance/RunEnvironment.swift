import Conformance
import FoundationEssentials
import Glibc

/// Description of this machine in a report: the system and its kernel, and nothing that tells whose it is.
enum RunEnvironment {
    /// System and kernel.
    static var facts: [RunDescription.Fact] {
        var facts: [RunDescription.Fact] = []
        if let system = release["PRETTY_NAME"] { facts.append(RunDescription.Fact("system", system)) }
        var names = utsname()
        if uname(&names) == 0 {
            let kernel = [text(names.sysname), text(names.release), text(names.machine)].joined(separator: " ")
            facts.append(RunDescription.Fact("kernel", kernel))
        }
        facts.append(RunDescription.Fact("processors", String(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        return facts
    }

    /// The time now: `2026-11-23T03:16:08Z`.
    static var now: String { Date().formatted(.iso8601) }

    /// The words of this command that a repetition needs: up to `--`, without outputs and the choice of cases.
    static func runnerWords(_ arguments: [String] = CommandLine.arguments) -> [String] {
        let dropped: Set<String> = [
            "--expected", "--filter", "--jobs", "--junit", "--known", "--peer-name", "--peer-version", "--profile",
            "--report", "--write-expected",
        ]
        var words = ["hybrid", "conformance"]
        var isValue = false
        for word in arguments.dropFirst().prefix(while: { $0 != "--" }) {
            if isValue {
                isValue = false
            } else if dropped.contains(word) {
                isValue = true
            } else if word != "--json", !dropped.contains(where: { word.hasPrefix("\($0)=") }) {
                words.append(word)
            }
        }
        return words
    }

    /// `/etc/os-release`, see os-release(5).
    private static var release: [String: String] {
        guard let text = try? String(contentsOf: URL(filePath: "/etc/os-release"), encoding: .utf8) else { return [:] }
        let lines = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1].replacing("\"", with: "")) : nil
        }
        return Dictionary(lines, uniquingKeysWith: { first, _ in first })
    }

    private static func text<Field>(_ field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// Redaction of private parts of a text: the places of this user's files, and the names of user and machine.
struct Redaction: Sendable {
    /// The replacements; longer texts first.
    private let replacements: [(text: String, by: String)]
    private static let shortest = 2
    /// Names that tell nothing.
    private static let common: Set<String> = ["root", "localhost", "user"]

    /// Of this process.
    init() {
        let home = getenv("HOME").map { String(cString: $0) } ?? ""
        var host = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        let hasName = gethostname(&host, host.count - 1) == 0
        let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
        self.init(
            home: home, directory: FileManager.default.currentDirectoryPath, user: user ?? "",
            host: hasName ? String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : "")
    }

    init(home: String, directory: String, user: String, host: String) {
        let names = [(user, "USER"), (host, "HOST")].filter { !Self.common.contains($0.0) }
        replacements = ([(directory, "."), (home, "~")] + names)
            .filter { $0.0.utf8.count >= Self.shortest && $0.0 != "/" }
            .map { (text: $0.0, by: $0.1) }.sorted { $0.text.utf8.count > $1.text.utf8.count }
    }

    /// The text without them. A name is replaced only where it is a whole word.
    func apply(_ text: String) -> String {
        replacements.reduce(text) { text, replacement in
            var result = ""
            var rest = text[...]
            while let range = rest.firstRange(of: replacement.text) {
                let before = rest[..<range.lowerBound].last ?? result.last
                let after = rest[range.upperBound...].first
                let isWhole = !Self.belongs(before) && !Self.belongs(after)
                result += rest[..<range.lowerBound] + (isWhole ? replacement.by : replacement.text)
                rest = rest[range.upperBound...]
            }
            return result + rest
        }
    }

    /// True for a character that continues a name.
    private static func belongs(_ character: Character?) -> Bool {
        guard let character else { return false }
        return character.isLetter || character.isNumber || character == "_" || character == "-"
    }
}
