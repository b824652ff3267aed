internal import Conformance
internal import Glibc

/// Runs the vectors of directories, names those that fail, and exits with 1 if any does.
@main
enum VectorCheck {
    static func main() throws {
        var hasPassed = true
        for path in CommandLine.arguments.dropFirst() {
            let report = try VectorDirectory(path: path).check { file in
                for failure in file.failures {
                    // At once: a later vector may trap.
                    let line = Array("\(failure.id)\n".utf8)
                    _ = write(STDOUT_FILENO, line, line.count)
                }
            }
            hasPassed = hasPassed && report.hasPassed
        }
        exit(hasPassed ? 0 : 1)
    }
}
