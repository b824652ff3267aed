import ArgumentParser

/// The commands for test vectors.
struct VectorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors",
        abstract: "Check test vectors, or make them anew.",
        discussion: """
            example:
              hybrid vectors check Vectors
            """,
        subcommands: [VectorsCheckCommand.self, VectorsGenerateCommand.self])
}
