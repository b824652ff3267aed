import ArgumentParser
import CommandLine

// The commands that other programs run, as they stand in the help and complete in a shell. ``OtherCommand`` hands over
// to the programs before the parser gets to one of these.

/// The server between the two roles.
struct TunnelServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service", summary: Abstract.tunnelService,
        details: OtherProgram.tunnelService.discussion)

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

/// The tests of implementations.
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance", summary: Abstract.conformance, details: OtherProgram.conformance.discussion)

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

/// The commands for test vectors.
struct VectorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vectors", summary: Abstract.vectors, details: OtherProgram.conformance.discussion)

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

/// The explanations of pieces of the protocol.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", summary: Abstract.inspect, details: OtherProgram.conformance.discussion)

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
