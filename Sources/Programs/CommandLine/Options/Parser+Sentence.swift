package import ArgumentParser
package import LinuxSupport

// The parser takes texts. They are made once, in the language of the catalogue.

extension CommandConfiguration {
    /// The configuration of a command.
    ///
    /// - Parameters:
    ///   - commandName: the command's name.
    ///   - summary: one sentence, with a capital letter and a full stop.
    ///   - details: an example, and notes.
    ///   - version: the version of a program; empty for one of its commands.
    ///   - shouldDisplay: false for a command of our own use.
    ///   - subcommands: its commands.
    ///   - defaultSubcommand: the one of them that is meant if none is named.
    package init(
        commandName: String, summary: Sentence, details: Sentence = "", version: String = "",
        shouldDisplay: Bool = true,
        subcommands: [any ParsableCommand.Type] = [], defaultSubcommand: (any ParsableCommand.Type)? = nil
    ) {
        self.init(
            commandName: commandName, abstract: summary.localized, discussion: details.localized, version: version,
            shouldDisplay: shouldDisplay, subcommands: subcommands, defaultSubcommand: defaultSubcommand)
    }
}

extension ArgumentHelp {
    /// The help of an option or an argument.
    ///
    /// - Parameters:
    ///   - sentence: one or more sentences, each with a full stop.
    ///   - valueName: the name of the value.
    ///   - visibility: where it is shown.
    package static func saying(
        _ sentence: Sentence, valueName: String? = nil, visibility: ArgumentVisibility = .default
    ) -> Self {
        Self("\(sentence.localized)", valueName: valueName, visibility: visibility)
    }
}

/// The words that the parser puts into its help by itself.
enum ParserWords {
    /// Those at the beginning of a line.
    private static let headings: [Sentence] = ["OVERVIEW:", "USAGE:", "ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"]
    private static let words: [Sentence] = ["Show help information.", "(default: ", "(values: "]

    /// A help with these words in the language of the catalogue.
    static func localized(_ help: String) -> String {
        let text = headings.reduce("\n\(help)") { $0.replacing("\n\($1.english)", with: "\n\($1.localized)") }
        return String(words.reduce(text) { $0.replacing($1.english, with: $1.localized) }.dropFirst())
    }
}

extension ValidationError {
    /// The error of arguments that do not fit each other.
    package static func saying(_ sentence: Sentence) -> Self { Self(sentence.localized) }
}
