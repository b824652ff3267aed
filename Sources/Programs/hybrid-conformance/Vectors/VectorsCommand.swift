import ArgumentParser
import CommandLine
import LinuxSupport

/// The commands for test vectors.
struct VectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        summary: Abstract.vectors,
        details: """
            example:
              hybrid-conformance vectors check Vectors
            """,
        subcommands: [VectorsCheckCommand.self, VectorsGenerateCommand.self])
}
