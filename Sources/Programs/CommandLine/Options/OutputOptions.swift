import ArgumentParser

/// The form of results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line on standard output, each with \"event\".")
    var json = false

    func reporter() -> Reporter { Reporter(isJSON: json) }
}
