import ArgumentParser
import CommandLine
import LinuxSupport

/// The time for which a radio is used.
struct DurationOption: ParsableArguments {
    @Option(help: .saying("How many seconds it lasts. (default: until a signal)", valueName: "seconds"))
    var seconds: UInt32?

    /// Longer than any machine runs.
    private static let forever = Duration.seconds(1 << 40)

    /// Waits until the time is over.
    ///
    /// - Throws: `CancellationError`.
    func pass() async throws { try await Task.sleep(for: seconds.map { .seconds($0) } ?? Self.forever) }
}
