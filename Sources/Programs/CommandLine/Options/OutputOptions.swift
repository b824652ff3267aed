package import ArgumentParser
import LinuxSupport

/// The form of results.
package struct OutputOptions: ParsableArguments {
    @Flag(help: .saying("Write one JSON object per line to standard output, each with \"event\"."))
    package var json = false

    @Flag(
        name: .shortAndLong,
        help: .saying(
            """
            Log requests to Bluetooth, the system and the tunnel service, and their replies, to standard error. Give \
            it twice to log every message.
            """))
    package var verbose: Int

    package init() {}

    package func reporter() -> Reporter {
        LogLines.show(verbosity: verbose)
        return Reporter(isJSON: json)
    }
}
