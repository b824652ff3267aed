/// Outcome of a directory of vectors, file by file.
package struct VectorReport: Sendable, Equatable {
    /// The files, in the order of their names.
    package internal(set) var files: [File] = []

    /// Outcome of one file.
    package struct File: Sendable, Equatable {
        /// The file's name, without its directory.
        package let name: String
        /// The part of the protocol that its cases are about.
        package let layer: String
        /// The number of cases that hold.
        package internal(set) var passedCount = 0
        /// The cases that do not hold, and why.
        package internal(set) var failures: [Failure] = []
        /// The identifiers of optional cases whose feature this implementation does not have.
        package internal(set) var notOffered: [String] = []

        /// The number of the file's cases.
        package var caseCount: Int { passedCount + failures.count + notOffered.count }

        init(name: String, layer: String) {
            self.name = name
            self.layer = layer
        }

        mutating func add(_ vectorCase: VectorCase, _ outcome: VectorCase.Outcome) {
            switch outcome {
            case .passed: passedCount += 1
            case .failed(let reason):
                failures.append(
                    Failure(
                        id: vectorCase.id, comment: vectorCase.comment, reason: reason,
                        rule: vectorCase.rule.flatMap(Rule.find)))
            case .notOffered: notOffered.append(vectorCase.id)
            }
        }
    }

    /// A case that does not hold.
    package struct Failure: Sendable, Equatable {
        /// The case's identifier.
        package let id: String
        /// The behaviour that the case shows.
        package let comment: String
        /// The difference from the expected outcome: one line.
        package let reason: String
        /// The rule that the case is about; nil if it is not one of this project's reference.
        package let rule: Rule?
    }

    /// The number of cases.
    package var caseCount: Int { files.reduce(0) { $0 + $1.caseCount } }
    /// The number of those that hold.
    package var passedCount: Int { files.reduce(0) { $0 + $1.passedCount } }
    /// The number of those that do not hold.
    package var failedCount: Int { files.reduce(0) { $0 + $1.failures.count } }
    /// The number of those of features that this implementation does not have.
    package var notOfferedCount: Int { files.reduce(0) { $0 + $1.notOffered.count } }
    /// True if every case holds whose feature this implementation has, and there is one.
    package var hasPassed: Bool { failedCount == 0 && passedCount > 0 }
}

extension VectorReport: CustomStringConvertible {
    /// A line for each failure, then a line for each file, then the sum.
    package var description: String {
        let failures = files.flatMap(\.failures).map { "\($0.id): \($0.reason)" }
        let sum =
            "\(files.count) files: \(caseCount) cases, \(passedCount) passed, \(failedCount) failed, "
            + "\(notOfferedCount) not offered"
        return (failures + files.map(\.description) + [sum]).joined(separator: "\n")
    }
}

extension VectorReport.File: CustomStringConvertible {
    /// The counts in one line.
    package var description: String {
        let rest = notOffered.isEmpty ? "" : ", \(notOffered.count) not offered"
        return "\(name): \(caseCount) cases, \(passedCount) passed, \(failures.count) failed\(rest)"
    }
}
