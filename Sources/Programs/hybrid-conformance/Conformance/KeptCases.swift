import CommandLine
import Conformance
import FoundationEssentials
import LinuxSupport

/// The directory given with `--keep`: of each case that deviates or is inconclusive a file with the transcript, and one
/// with the peer's standard error. It is tried before the run.
struct KeptCases: Sendable {
    private let directory: URL
    private static let ownerOnly = 0o700

    /// Makes the directory, if it is not there.
    ///
    /// - Throws: ``Failure`` if nothing can be written in it.
    init(_ path: String) throws {
        directory = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: Self.ownerOnly])
            let probe = directory.appending(path: ".probe-\(UInt64.random(in: 0...UInt64.max))")
            try Data().write(to: probe)
            try FileManager.default.removeItem(at: probe)
        } catch {
            throw Self.failure(path)
        }
    }

    /// Writes the files of a case.
    ///
    /// - Throws: ``Failure``.
    func keep(_ result: CaseResult) throws {
        let name = result.testCase.id.replacing("/", with: ".")
        do {
            let lines = result.transcript.lines()
            if !lines.isEmpty { try write(Array((lines.joined(separator: "\n") + "\n").utf8), "\(name).transcript") }
            if !result.wholeStandardError.isEmpty { try write(result.wholeStandardError, "\(name).stderr") }
        } catch {
            throw Self.failure(directory.path)
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try AtomicFile(path: directory.appending(path: name).path, access: .masked).replace(with: bytes)
    }

    private static func failure(_ path: String) -> Failure {
        Failure(
            .file, code: "input-output", cause: "nothing can be written in \(path)",
            hint: "check the directory given with --keep")
    }
}
