internal import Conformance
internal import Glibc

/// Runs the vectors of a directory, names those that fail, and exits with 1 if any does.
@main
enum VectorCheck {
    static func main() throws {
        let report = try VectorDirectory(path: CommandLine.arguments.dropFirst().first ?? "Vectors").check { file in
            for failure in file.failures {
                // At once: a later vector may trap.
                let line = Array("\(failure.id)\n".utf8)
                _ = write(STDOUT_FILENO, line, line.count)
            }
        }
        exit(report.hasPassed ? 0 : 1)
    }
}
