import ArgumentParser
import CommandLine

/// The commands for test vectors.
struct VectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: Abstract.vectors,
        discussion: """
            example:
              hybrid-conformance vectors check Vectors
            """,
        subcommands: [VectorsCheckCommand.self, VectorsGenerateCommand.self])
}
