package import ArgumentParser
import LinuxSupport

/// The command that was meant, as far as the arguments name one.
package struct CommandPath {
    /// The names, the program's among them.
    package private(set) var text: String
    /// The command that is named.
    package private(set) var command: any ParsableCommand.Type
    /// The arguments behind the command's names.
    package private(set) var rest: ArraySlice<String>

    package init(_ arguments: [String], of program: any ParsableCommand.Type) {
        text = program.commandName
        command = program
        rest = arguments[...]
        while let argument = rest.first, let next = subcommands.first(where: { $0.commandName == argument }) {
            text += " " + argument
            command = next
            rest = rest.dropFirst()
        }
    }

    /// The names of the subcommands.
    var names: [String] { subcommands.map { $0.commandName } }

    /// True for a command that is run with options of its own.
    var hasOptions: Bool { names.isEmpty || (command as? any Program.Type)?.isService == true }

    private var subcommands: [any ParsableCommand.Type] { command.configuration.subcommands }
}

extension ParsableCommand {
    /// The name, which every command here has in its configuration.
    package static var commandName: String { configuration.commandName ?? "" }
}

/// A word that is not a command, or no option, where one is due. The parser would blame another word, or say nothing.
package struct UnknownWord {
    let message: Sentence
    let hint: Sentence

    /// Names in other programs, and the names here.
    private static let otherNames = [
        "ls": "list", "rm": "remove", "delete": "remove", "login": "sign-in", "signin": "sign-in",
        "register-key": "register",
        "scan": "answer", "server": "tunnel-service", "service": "tunnel-service",
        "completion": "--generate-completion-script", "completions": "--generate-completion-script",
    ]

    /// The first such word; nil if there is none.
    init?(in arguments: [String], of program: any ParsableCommand.Type) {
        let isHelp = arguments.first == "help"
        let path = CommandPath(isHelp ? Array(arguments.dropFirst()) : arguments, of: program)
        let word = path.rest.first
        if !path.names.isEmpty, let word, !word.hasPrefix("-"), word != "help" {
            let other = Self.otherNames[word].flatMap { $0.hasPrefix("-") || path.names.contains($0) ? $0 : nil }
            message = "there is no command '\(word)'"
            hint = Self.hint(other ?? Self.nearest(to: word, of: path.names), path)
        } else if !isHelp, path.hasOptions, let option = Self.unknownOption(path) {
            message = "there is no option '\(option)'"
            hint = Self.hint(Self.nearest(to: option, of: Self.options(path.command)), path)
        } else {
            return nil
        }
    }

    private static func hint(_ suggestion: String?, _ path: CommandPath) -> Sentence {
        let help: Sentence = "see \(path.text) --help"
        guard let suggestion else { return help }
        return "did you mean \(suggestion)? \(help)"
    }

    private static func unknownOption(_ path: CommandPath) -> String? {
        let known = options(path.command)
        let words = path.rest.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
        return words.map { String($0.prefix { $0 != "=" }) }.first { !known.contains($0) }
    }

    /// The long options that the command's help names, and those of every command.
    private static func options(_ command: any ParsableCommand.Type) -> Set<String> {
        let isPart = { (character: Character) in character.isLetter || character.isNumber || character == "-" }
        let words = command.helpMessage(includeHidden: true).split { !isPart($0) }.map(String.init)
        return Set(words.filter { $0.hasPrefix("--") }).union(["--help", "--generate-completion-script"])
    }

    /// The name that is nearest to a word, if a few letters make the one of the other.
    package static func nearest(to word: String, of names: some Sequence<String>) -> String? {
        let distances = names.map { (name: $0, distance: distance(Array(word.utf8.prefix(64)), Array($0.utf8))) }
        guard let best = distances.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        return best.distance <= max(1, word.utf8.count / 3) ? best.name : nil
    }

    /// The number of letters to put in, take away or replace (Levenshtein).
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for position in other.indices {
                let replaced = diagonal + (letter == other[position] ? 0 : 1)
                diagonal = row[position + 1]
                row[position + 1] = min(replaced, diagonal + 1, row[position] + 1)
            }
        }
        return row[other.count]
    }
}
