import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport
import SystemPackage

/// A page's request to its browser, and the page's origin.
struct PageRequestOptions: ParsableArguments {
    @Option(help: .saying("The site's origin, which the device shows to its user.", valueName: "url"))
    var origin: String

    @Option(
        help: .saying("The file with the request, JSON; - reads standard input.", valueName: "file"),
        completion: .file())
    var request: String

    private static let standardInput = "-"

    /// The request: at most the given number of bytes, or one more.
    func read(limit: Int) throws -> [UInt8] {
        do {
            guard request != Self.standardInput else {
                StandardStreams.prompt("paste the request, JSON, then press Enter and Ctrl-D")
                return try StandardStreams.read(limit: limit + 1, from: STDIN_FILENO)
            }
            let file = open(request, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard file >= 0 else { throw Errno.last }
            defer { close(file) }
            return try StandardStreams.read(limit: limit + 1, from: file)
        } catch let error as Errno {
            throw Failure(
                .file, code: "input-output", cause: "\(quoted(request)) cannot be read: \(error)",
                hint: "check the file given with --request")
        }
    }
}
