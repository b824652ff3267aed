internal import FoundationEssentials

/// The directory of a command that was linked: the link is made once in a run, and its files are copied for each case
/// that needs it.
actor LinkedDirectory<Link: Sendable> {
    private let path: String
    private var making: Task<Link, any Error>?
    private var trying: Task<Bool, any Error>?

    /// Takes an empty directory that lasts as long as the run.
    init(at path: String) { self.path = path }

    /// The link, whose files are in `directory` afterwards.
    ///
    /// - Parameters:
    ///   - directory: the case's own, empty.
    ///   - make: makes the link there; called if no case has made it yet.
    /// - Throws: the errors of `make`.
    func link(in directory: String, make: @escaping @Sendable () async throws -> Link) async throws -> Link {
        if let making, let link = try? await making.value {
            try Self.copyFiles(from: path, to: directory)
            return link
        }
        try Task.checkCancellation()
        let task = Task { [path] in
            let link = try await make()
            try Self.copyFiles(from: directory, to: path)
            return link
        }
        making = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// True if the command uses links at all, or that cannot be found out.
    ///
    /// - Parameter attempt: finds it out; called once in a run.
    func usesLinks(_ attempt: @escaping @Sendable () async throws -> Bool) async throws -> Bool {
        let task = trying ?? Task { try await attempt() }
        trying = task
        let isUsing = try? await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        try Task.checkCancellation()
        return isUsing ?? true
    }

    private static func copyFiles(from source: String, to target: String) throws {
        let files = FileManager.default
        do {
            for name in try files.contentsOfDirectory(atPath: source) {
                let copy = "\(target)/\(name)"
                try? files.removeItem(atPath: copy)
                try files.copyItem(atPath: "\(source)/\(name)", toPath: copy)
            }
        } catch {
            throw RunnerError(.cannotStart, reason: "the files of a link cannot be copied to \(target)")
        }
    }
}
