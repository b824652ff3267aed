import ArgumentParser
import Conformance

/// What can be done with test vectors.
struct VectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Check test vectors.",
        subcommands: [VectorsCheckCommand.self])
}
