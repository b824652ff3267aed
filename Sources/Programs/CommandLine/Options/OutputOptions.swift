package import ArgumentParser

/// The form of results.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line on standard output, each with \"event\".")
    package var json = false

    @Flag(
        name: .shortAndLong,
        help: """
            Say on standard error what is asked of Bluetooth, of the system and of the tunnel service, and what comes; \
            twice for every message.
            """)
    package var verbose: Int

    package init() {}

    package func reporter() -> Reporter {
        LogLines.show(verbosity: verbose)
        return Reporter(isJSON: json)
    }
}
