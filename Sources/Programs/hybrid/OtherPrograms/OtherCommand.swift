import CommandLine
import Glibc

/// A command that another program runs.
///
/// `hybrid` hands over to it as git does, before anything else happens: the other program gets everything that a shell,
/// a service manager or a script has given this process.
struct OtherCommand: Equatable {
    let program: OtherProgram
    /// The command as the user calls it.
    let name: String
    /// The arguments of the program.
    let arguments: [String]

    /// The programs, and the words that stand for the command there, by the command's name here.
    private static let programs: [String: (program: OtherProgram, words: [String])] = [
        "tunnel-service": (.tunnelService, []),
        "conformance": (.conformance, []),
        "vectors": (.conformance, ["vectors"]),
        "inspect": (.conformance, ["inspect"]),
    ]

    /// The command to run, or to explain by `help`; nil if it is one of this program's.
    init?(_ arguments: [String]) {
        let help = arguments.prefix { $0 == "help" }.prefix(1)
        let rest = arguments.dropFirst(help.count)
        guard let name = rest.first, let (program, words) = Self.programs[name] else { return nil }
        self.program = program
        self.name = "hybrid \(name)"
        self.arguments = help + words + rest.dropFirst()
    }

    /// Runs it in the place of this process, which ends with a failure if that cannot be.
    func run() -> Never {
        let failure = program.takeOver(arguments, for: name)
        StandardStreams.prepare()
        Reporter(isJSON: arguments.contains("--json")).report(failure)
        exit(failure.status.rawValue)
    }
}
