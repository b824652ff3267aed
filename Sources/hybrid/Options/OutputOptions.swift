import ArgumentParser

/// How results are written.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON object a line on standard output, each with \"event\".")
    var json = false

    func reporter() -> Reporter { Reporter(isJSON: json) }
}
