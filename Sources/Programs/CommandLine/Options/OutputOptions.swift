import ArgumentParser

/// The form of results.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line on standard output, each with \"event\".")
    package var json = false

    package init() {}

    package func reporter() -> Reporter { Reporter(isJSON: json) }
}
