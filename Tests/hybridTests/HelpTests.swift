import ArgumentParser
import CommandLine
import LinuxSupport
import Testing

@testable import hybrid
@testable import hybrid_conformance
@testable import hybrid_tunnel_service

/// The help of every command of every program.
@Suite struct HelpTests {
    /// The width at which a text is cut that is for no terminal.
    private static let columns = 80
    /// The narrowest terminal in which an example is not cut.
    private static let narrow = 60

    @Test(arguments: HelpPage.all) func examplesAreWholeAndParse(_ page: HelpPage) throws {
        let examples = page.exampleLines
        #expect(!examples.isEmpty)
        for columns in [Self.narrow, Self.columns] {
            let lines = page.text(columns: columns).split(separator: "\n", omittingEmptySubsequences: false)
            for line in examples { #expect(lines.contains(line), "cut at \(columns) columns: \(line)") }
        }
        for words in page.examples where words.first != "help" {
            #expect(throws: Never.self, "\(words)") { try page.program.parseAsRoot(words) }
        }
    }

    /// The parser's debug build checks a group in a group four times as often at each level.
    @Test(arguments: HelpPage.all) func noGroupOfOptionsHasGroups(_ page: HelpPage) {
        for group in OptionGroups.of(page.command) {
            #expect(OptionGroups.of(group).isEmpty, "\(group)")
        }
    }

    @Test(arguments: HelpPage.all) func noDefaultIsToldTwice(_ page: HelpPage) {
        for line in page.text(columns: 10_000).split(separator: "\n") where line.hasPrefix("  -") {
            #expect(line.ranges(of: "default: ").count <= 1, "\(line)")
        }
    }

    @Test func manyOptionsStandInGroups() {
        for page in HelpPage.all {
            let titled = OptionGroups.titles(of: page.command)
            let options = page.text(columns: 10_000).split(separator: "\n").filter { $0.hasPrefix("  -") }
            #expect(options.count <= 14 || titled.count > 1, "\(page)")
        }
    }

    /// A command's own options stand above those that many commands share.
    @Test(arguments: HelpPage.all) func ownOptionsStandFirst(_ page: HelpPage) {
        guard !OptionGroups.titles(of: page.command).subtracting([""]).isEmpty else { return }
        let lines = page.text(columns: Self.columns).split(separator: "\n", omittingEmptySubsequences: false)
        let rest = lines.drop { $0 != "OPTIONS:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        let shared = [
            "  --version               Show the version.", "  -h, --help              Show help information.",
        ]
        let options = rest.filter { $0.hasPrefix("  -") }.map(String.init)
        // A program that is a command itself shows its version with those below, too.
        let isProgram = page.path.isEmpty
        #expect(options == shared || !isProgram && options == shared.suffix(1), "\(page)")
    }

    /// An example is typed as it stands.
    @Test(arguments: HelpPage.all) func examplesHaveNoGaps(_ page: HelpPage) {
        #expect(!page.exampleLines.contains { $0.contains("…") }, "\(page)")
    }

    /// Names stand in the configurations; those that the parser derives from types are not public.
    @Test(arguments: HelpPage.all) func everyCommandHasAName(_ page: HelpPage) {
        #expect(page.command.configuration.commandName != nil)
    }

    @Test(arguments: HelpPage.programs) func topicsAreWhole(_ program: any Program.Type) {
        for topic in program.topics {
            #expect(topic.text.english.split(separator: "\n").allSatisfy { $0.count <= Self.columns })
            #expect(HelpTopic.asked(["help", topic.name], of: program.topics)?.text == topic.text)
            #expect(program.helpMessage(columns: Self.columns).contains(topic.name))
        }
    }

    @Test func noCommandIsATopic() {
        #expect(HelpTopic.asked(["help", "client"], of: Hybrid.topics) == nil)
        #expect(HelpTopic.asked(["exit-codes"], of: Hybrid.topics) == nil)
    }

    /// A command that another program runs is described by that program.
    @Test func handedOverCommandsNameTheirProgram() throws {
        let root = HelpPage(program: Hybrid.self, path: [], command: Hybrid.self)
        let programs = Set(HelpPage.programs.map { $0.commandName })
        for command in Hybrid.configuration.subcommands where HelpPage.isHandedOver(command) {
            let other = try #require(OtherCommand([command.commandName]))
            #expect(programs.contains(other.program.name))
            #expect(command.configuration.discussion.contains(other.program.name))
            #expect(root.text(columns: 10_000).contains(command.configuration.abstract))
        }
    }
}

/// A command's help.
struct HelpPage: CustomTestStringConvertible, Sendable {
    let program: any Program.Type
    let path: [String]
    let command: any ParsableCommand.Type

    var testDescription: String { ([program.commandName] + path).joined(separator: " ") }

    static let programs: [any Program.Type] = [
        Hybrid.self, hybrid_conformance.ConformanceCommand.self, hybrid_tunnel_service.TunnelServiceCommand.self,
    ]

    static let all = programs.flatMap { Self(program: $0, path: [], command: $0).andBelow }

    /// True for a command that another program runs, and explains.
    static func isHandedOver(_ command: any ParsableCommand.Type) -> Bool {
        OtherCommand([command.commandName]) != nil
    }

    private var andBelow: [Self] {
        let below = command.configuration.subcommands.filter { program != Hybrid.self || !Self.isHandedOver($0) }
        return [self]
            + below.flatMap { Self(program: program, path: path + [$0.commandName], command: $0).andBelow }
    }

    func text(columns: Int) -> String { program.helpMessage(for: command, columns: columns) }

    /// The lines below `example:`, up to an empty one.
    var exampleLines: [Substring] {
        let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.drop { $0 != "example:" }.dropFirst().prefix { $0.hasPrefix("  ") })
    }

    /// The arguments of each example, as a shell would pass them.
    var examples: [[String]] {
        let text = exampleLines.joined(separator: "\n").replacing("\\\n", with: " ")
        return text.split(separator: "\n").map { line in
            // A shell puts a file's name in the place of <(command).
            let words = line.replacing(#/<\(.*?\)/#, with: "/dev/fd/63").split(separator: " ").map(String.init)
            return Array(words.drop { $0 != program.commandName }.dropFirst())
        }
    }
}

/// The groups of options that a type has.
enum OptionGroups {
    static func of(_ type: any ParsableArguments.Type) -> [any ParsableArguments.Type] {
        Mirror(reflecting: type.init()).children.compactMap { ($0.value as? any GroupOfOptions)?.options }
    }

    /// The titles of the groups; empty for one without.
    static func titles(of type: any ParsableArguments.Type) -> Set<String> {
        Set(Mirror(reflecting: type.init()).children.compactMap { ($0.value as? any GroupOfOptions)?.title })
    }
}

private protocol GroupOfOptions {
    var options: any ParsableArguments.Type { get }
    var title: String { get }
}

extension OptionGroup: GroupOfOptions {
    fileprivate var options: any ParsableArguments.Type { Value.self }
}
