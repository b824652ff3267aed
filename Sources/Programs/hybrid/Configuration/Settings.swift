import ArgumentParser
import CommandLine
import FoundationEssentials
import Glibc
import LinuxSupport

/// The settings of this run. An option counts more than a variable `HYBRID_…`, that more than the user's file, that
/// more than the system's, and that more than the default.
struct Settings: Sendable {
    /// The source of a value.
    enum Source: Sendable {
        case environment
        case userFile(String, line: Int)
        case systemFile(String, line: Int)
    }

    struct Value: Sendable {
        let text: String
        let source: Source
    }

    /// The variables of the environment whose names begin as those of settings do.
    private let variables: [String: String]
    /// The user's file and the system's, as far as they are there.
    private let userFile: ConfigurationFile?
    private let systemFile: ConfigurationFile?
    private let home: String?

    private static let systemPath = "/etc/hybrid/hybrid.conf"
    /// No other file can be named: anyone who sets a variable for another's program could choose its settings.
    private static let switchName = "HYBRID_CONFIG"
    private static let off = "none"

    /// Reads the sources.
    ///
    /// - Throws: ``Failure`` for a file that cannot be used, and for keys that stand on the command line only.
    init(
        environment variables: [String: String] = ProcessInfo.processInfo.environment,
        systemPath: String = Self.systemPath
    ) throws {
        // A program that runs with more rights than its caller takes nothing from the caller.
        let isTrusted = getuid() == geteuid() && getgid() == getegid()
        let variables = isTrusted ? variables : [:]
        let others = [Self.switchName, LogLines.variable]
        self.variables = variables.filter { $0.key.hasPrefix(Setting.prefix) && !others.contains($0.key) }
        home = variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let choice = variables[Self.switchName] ?? ""
        guard choice.isEmpty || choice == Self.off else {
            throw Failure.usage(
                "\(Self.switchName) is \(quoted(choice)); its only value is \(Self.off), with which no file is read",
                hint: "settings are read from \(Self.userPath(variables) ?? "~/.config/hybrid/hybrid.conf") only")
        }
        let isOn = choice.isEmpty
        let isForbidden = Setting.forbiddenKeys.contains
        userFile = isOn ? try Self.userPath(variables).flatMap(ConfigurationFile.init(path:)) : nil
        systemFile = isOn ? try ConfigurationFile(path: systemPath) : nil
        if let key = self.variables.filter({ !$0.value.isEmpty }).keys.sorted().first(where: isForbidden) {
            throw Self.forbidden(key, "the environment", .usage)
        }
        for file in [userFile, systemFile].compactMap(\.self) {
            for line in file.lines where isForbidden(line.key) && !line.value.isEmpty {
                throw Self.forbidden(line.key, "\(file.path), line \(line.number)", .file)
            }
        }
    }

    /// The paths of the files that were read.
    var paths: [String] { [userFile?.path, systemFile?.path].compactMap(\.self) }

    /// The value of a setting; nil if none is configured.
    func value(_ setting: Setting) -> Value? {
        let key = setting.key
        if let text = variables[key], !text.isEmpty { return Value(text: text, source: .environment) }
        if let userFile, let line = userFile.value(key) {
            return Value(text: line.value, source: .userFile(userFile.path, line: line.number))
        }
        if let systemFile, let line = systemFile.value(key) {
            return Value(text: line.value, source: .systemFile(systemFile.path, line: line.number))
        }
        return nil
    }

    /// The words of an option for a configured value; nil if none is configured.
    ///
    /// - Throws: ``Failure`` for a value of the wrong kind.
    func words(for setting: Setting) throws -> [String]? {
        guard let value = value(setting) else { return nil }
        switch setting.words(for: value.text, home: home) {
        case .success(let words): return words
        case .failure(let refusal):
            let (place, status): (Sentence, ExitStatus) =
                switch value.source {
                case .environment: ("the environment", .usage)
                case .userFile(let path, let line), .systemFile(let path, let line): ("\(path), line \(line)", .file)
                }
            throw Failure(
                status, code: "configuration", cause: "\(setting.key) in \(place): \(refusal.reason)",
                hint: "correct it there, or give --\(setting.option)")
        }
    }

    /// The faults that stop nothing: unknown keys, and those that stand in a file twice.
    func warnings(ofEnvironment includesEnvironment: Bool = false) -> [Sentence] {
        var warnings: [Sentence] = []
        let known = Set(Setting.all.map(\.key))
        for file in [userFile, systemFile].compactMap(\.self) {
            for line in file.lines where !known.contains(line.key) && !Setting.forbiddenKeys.contains(line.key) {
                warnings.append(Self.unknown(line.key, "\(file.path), line \(line.number)", known))
            }
            warnings += file.repeated.map {
                "\(file.path), line \($0.number): \($0.key) is there more than once; the last line counts"
            }
        }
        // Others may have variables that begin so, too: they are told only to somebody who asks what is configured.
        if includesEnvironment {
            let unknown = variables.keys.sorted().filter { !known.contains($0) }
            warnings += unknown.map { Self.unknown($0, "the environment", known) }
        }
        return warnings
    }

    /// The arguments of a command, with the settings in the place of options that are not given.
    ///
    /// - Throws: ``Failure``.
    static func applied(
        to arguments: [String], _ reporter: Reporter, load: () throws -> Settings = { try Settings() }
    ) throws -> [String] {
        let path = CommandPath(arguments, of: Hybrid.self)
        let given = path.rest.prefix { $0 != "--" }
        guard !given.contains(where: { $0 == "--help" || $0 == "-h" }) else { return arguments }
        let wanted = Setting.all.filter { $0.isOption(of: path.command) }
        guard !wanted.isEmpty else { return arguments }
        let settings = try load()
        for warning in settings.warnings() { reporter.warn("unknown-setting", warning) }
        var words: [String] = []
        for setting in wanted where !setting.isGiven(in: given) {
            let all = given + words
            let yields = all.contains { word in setting.yieldsTo.contains(where: word.hasPrefix) }
            if !yields { words += try settings.words(for: setting) ?? [] }
        }
        return Array(arguments.prefix(arguments.count - path.rest.count)) + words + path.rest
    }

    private static func userPath(_ variables: [String: String]) -> String? {
        let folder =
            [variables["XDG_CONFIG_HOME"], variables["HOME"].map { "\($0)/.config" }].compactMap(\.self)
            .first { $0.hasPrefix("/") }
        return folder.map { "\($0)/hybrid/hybrid.conf" }
    }

    private static func forbidden(_ key: String, _ place: Sentence, _ status: ExitStatus) -> Failure {
        let option = key.dropFirst(Setting.prefix.count).lowercased().replacing("_", with: "-")
        return Failure(
            status, code: "configuration", cause: "\(key) in \(place): --\(option) is for the command line only",
            hint: "remove it there, and give --\(option) to the command that needs it")
    }

    private static func unknown(_ key: String, _ place: Sentence, _ known: Set<String>) -> Sentence {
        let nearest = [key, Setting.prefix + key].lazy.compactMap { UnknownWord.nearest(to: $0, of: known) }.first
        return nearest.map { "\(place): there is no setting \(key); did you mean \($0)?" }
            ?? "\(place): there is no setting \(key)"
    }
}

extension Setting {
    /// True if the arguments have the option.
    fileprivate func isGiven(in arguments: ArraySlice<String>) -> Bool {
        arguments.contains { $0 == "--\(option)" || $0 == "--no-\(option)" || $0.hasPrefix("--\(option)=") }
    }
}
