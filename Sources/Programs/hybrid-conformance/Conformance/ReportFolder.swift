import CommandLine
import Conformance
import Glibc
import LinuxSupport
import SystemPackage

/// The folder given with `--report`: a page and the same results for programs. An earlier report in it is replaced, and
/// nothing else is ever touched.
struct ReportFolder {
    private static let page = "index.html"
    private static let document = "report.json"
    private static let folderMode: mode_t = 0o777

    private let path: String

    /// Names a folder, and tries whether a report can be written there.
    ///
    /// - Throws: ``Failure`` if it holds anything else than an earlier report, or cannot be written.
    init(_ path: String) throws {
        self.path = path
        try Self.check(path)
        if mkdir(path, Self.folderMode) == 0 {
            rmdir(path)
        } else if errno != EEXIST {
            throw Self.failure(path, "cannot be made: \(Errno.last)")
        } else if access(path, W_OK | X_OK) != 0 {
            throw Self.failure(path, "cannot be written: \(Errno.last)")
        }
    }

    /// Writes a report. Each file takes the place of the earlier one once both are safely on the disk: whenever the
    /// folder is read, there is a whole report.
    ///
    /// - Throws: ``Failure``.
    func write(_ report: PublishedReport) throws {
        try Self.check(path)
        guard mkdir(path, Self.folderMode) == 0 || errno == EEXIST else {
            throw Self.failure(path, "cannot be made: \(Errno.last)")
        }
        func replacement(_ name: String, _ text: String) throws(AtomicFileError) -> AtomicFile.Replacement {
            try AtomicFile(path: "\(path)/\(name)", access: .masked).replacement(with: Array(text.utf8))
        }
        do throws(AtomicFileError) {
            let document = try replacement(Self.document, report.json)
            let page = try replacement(Self.page, report.html)
            try document.commit()
            try page.commit()
        } catch {
            throw Self.failure(path, "cannot be written: \(reason: error.reason)")
        }
    }

    /// Checks that there is no folder, or an empty one, or one with an earlier report.
    ///
    /// - Throws: ``Failure``.
    private static func check(_ path: String) throws {
        guard let folder = opendir(path) else {
            if errno == ENOENT { return }
            throw failure(path, errno == ENOTDIR ? "is not a folder" : "cannot be read: \(Errno.last)")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            // A file of a run that was killed while it wrote.
            guard !name.hasSuffix(AtomicFile.newSuffix) || ![page, document].contains(where: name.hasPrefix) else {
                continue
            }
            names.append(name)
            guard name == page || name == document else {
                throw failure(path, "holds something other than a report: \(quoted(name))")
            }
        }
        guard !names.isEmpty else { return }
        guard names.contains(document) else { throw failure(path, "holds a page that is not a report's") }
        do throws(Failure) {
            _ = try PublishedReport.read("\(path)/\(document)")
        } catch {
            throw failure(path, "holds no earlier report: \(error.cause)")
        }
    }

    private static func failure(_ path: String, _ what: Sentence) -> Failure {
        Failure(
            .file, code: "report", cause: "\(path) \(what)",
            hint: "give --report an empty or a new folder, or one with an earlier report, which is replaced")
    }
}
