import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands for settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        summary: "Show the effective settings and their sources.",
        details: """
            example:
              hybrid config show

            Nothing needs to be configured; `hybrid help configuration` lists what can be.
            """,
        subcommands: [Show.self])

    /// Shows them.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            summary: "Show each setting, its value, and its source.",
            details: """
                example:
                  hybrid config show
                  HYBRID_RADIO=kernel hybrid config show --json

                An option on the command line overrides the value shown here.
                """)

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let reporter = output.reporter()
            try await runCommand(reporter) { try show(reporter) }
        }

        private func show(_ reporter: Reporter) throws {
            let settings = try Settings()
            for warning in settings.warnings(ofEnvironment: true) { reporter.warn("unknown-setting", warning) }
            let lines = try Setting.all.map { setting in
                // A value that no command would take is told as any command tells it.
                _ = try settings.words(for: setting)
                return SettingLine(setting, settings.value(setting))
            }
            reporter.writeTable(lines, SettingLine.columns, \.json)
            if settings.paths.isEmpty { reporter.say("there is no file of settings") }
        }
    }
}

/// A setting, its value and its source.
private struct SettingLine {
    let key: String
    let option: String
    private let text: String
    /// The value, quoted; for a default that depends on the machine, in words.
    let value: Sentence
    /// environment, user-file, system-file or default.
    let source: String
    let file: String?
    let line: Int?

    init(_ setting: Setting, _ value: Settings.Value?) {
        key = setting.key
        option = "--\(setting.option)"
        self.value = value.map { "\(quoted($0.text))" } ?? setting.standard
        text = value?.text ?? setting.standard.english
        switch value?.source {
        case nil: (source, file, line) = ("default", nil, nil)
        case .environment: (source, file, line) = ("environment", nil, nil)
        case .userFile(let path, let number): (source, file, line) = ("user-file", path, number)
        case .systemFile(let path, let number): (source, file, line) = ("system-file", path, number)
        }
    }

    var json: Line {
        Line(
            "setting",
            ["key": key, "option": option, "value": text, "source": source, "file": file, "line": line])
    }

    /// The columns of the list.
    static var columns: [Reporter.Column<Self>] {
        [
            ("SETTING", \.key), ("VALUE", \.value.localized),
            ("SOURCE", \.place),
        ]
    }

    private var place: String { if let file, let line { "\(file), line \(line)" } else { source } }
}
