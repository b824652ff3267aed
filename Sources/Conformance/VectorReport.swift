/// What became of a directory of vectors, file by file.
public struct VectorReport: Sendable, Equatable {
    /// The files, in the order of their names.
    public internal(set) var files: [File] = []

    /// What became of one file.
    public struct File: Sendable, Equatable {
        /// The file's name, without its directory.
        public let name: String
        /// Which part of the protocol its cases are about.
        public let layer: String
        /// How many cases hold.
        public internal(set) var passedCount = 0
        /// The cases that do not hold, and why.
        public internal(set) var failures: [Failure] = []
        /// The identifiers of optional cases whose feature this implementation does not have.
        public internal(set) var notOffered: [String] = []

        /// How many cases the file has.
        public var caseCount: Int { passedCount + failures.count + notOffered.count }

        init(name: String, layer: String) {
            self.name = name
            self.layer = layer
        }

        mutating func add(_ vectorCase: VectorCase, _ outcome: VectorCase.Outcome) {
            switch outcome {
            case .passed: passedCount += 1
            case .failed(let reason):
                failures.append(Failure(id: vectorCase.id, comment: vectorCase.comment, reason: reason))
            case .notOffered: notOffered.append(vectorCase.id)
            }
        }
    }

    /// A case that does not hold.
    public struct Failure: Sendable, Equatable {
        /// Which case.
        public let id: String
        /// What the case shows.
        public let comment: String
        /// What happened instead: one line.
        public let reason: String
    }

    /// How many cases there are.
    public var caseCount: Int { files.reduce(0) { $0 + $1.caseCount } }
    /// How many hold.
    public var passedCount: Int { files.reduce(0) { $0 + $1.passedCount } }
    /// How many do not.
    public var failedCount: Int { files.reduce(0) { $0 + $1.failures.count } }
    /// How many belong to features that this implementation does not have.
    public var notOfferedCount: Int { files.reduce(0) { $0 + $1.notOffered.count } }
    /// Whether every case holds whose feature this implementation has.
    public var hasPassed: Bool { failedCount == 0 && passedCount > 0 }
}

extension VectorReport: CustomStringConvertible {
    /// A line for each failure, then a line for each file, then the sum.
    public var description: String {
        let failures = files.flatMap(\.failures).map { "\($0.id): \($0.reason)" }
        let sum =
            "\(files.count) files: \(caseCount) cases, \(passedCount) passed, \(failedCount) failed, "
            + "\(notOfferedCount) not offered"
        return (failures + files.map(\.description) + [sum]).joined(separator: "\n")
    }
}

extension VectorReport.File: CustomStringConvertible {
    /// The counts in one line.
    public var description: String {
        let rest = notOffered.isEmpty ? "" : ", \(notOffered.count) not offered"
        return "\(name): \(caseCount) cases, \(passedCount) passed, \(failures.count) failed\(rest)"
    }
}
