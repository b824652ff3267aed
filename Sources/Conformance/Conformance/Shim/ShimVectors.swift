internal import Encodings

/// An implementation whose operations a shim does.
package actor ShimVectors {
    private let command: CommandTemplate
    private let timeout: Duration
    private var process: ShimProcess?
    private var hello: ShimHello?
    /// The number of crashes since the last answer.
    private var crashCount = 0
    /// The members of outputs that were given, and those that were due, by operation.
    private var members: [String: (given: Set<String>, due: Set<String>)] = [:]

    /// Crashes in succession after which the shim is not started again.
    private static let mostCrashes = 20

    /// - Parameters:
    ///   - command: the shim's words.
    ///   - timeout: the longest time for one answer.
    package init(_ command: [String], timeout: Duration) {
        self.command = CommandTemplate(shim: command, .authenticate)
        self.timeout = timeout
    }

    /// Runs every case of a directory.
    ///
    /// - Parameters:
    ///   - directory: the vectors.
    ///   - progress: called after each file.
    /// - Throws: ``RunnerError`` if the shim cannot be started, or does not keep to its protocol; `CancellationError`.
    package func check(
        _ directory: VectorDirectory, progress: @Sendable (VectorReport.File) -> Void
    ) async throws -> VectorReport {
        defer { end() }
        var report = VectorReport()
        for file in directory.files {
            var result = VectorReport.File(name: file.name, layer: file.layer)
            for vectorCase in file.cases { result.add(vectorCase, try await outcome(vectorCase)) }
            progress(result)
            report.files.append(result)
        }
        return report
    }

    /// The members of outputs that were never given, by operation: nothing is said of them.
    package var neverGiven: [(operation: String, members: [String])] {
        members.sorted { $0.key < $1.key }.compactMap { operation, members in
            let missing = members.due.subtracting(members.given)
            return missing.isEmpty ? nil : (operation, missing.sorted())
        }
    }

    private func outcome(_ vectorCase: VectorCase) async throws -> VectorCase.Outcome {
        let process = try await started()
        if let known = hello?.operations, !known.isEmpty, !known.contains(vectorCase.operation) { return .notOffered }
        process.pipe.send(
            "run", [("operation", .string(vectorCase.operation)), ("input", .object(vectorCase.input.members))])
        let line: ShimLine?
        do {
            line = try await within(timeout, "its answer") { try await process.pipe.next() }
        } catch let deviation as Deviation {
            end()
            return .failed(deviation.reason)
        } catch let fault as ShimFault {
            throw await process.error("\(fault), in \(vectorCase.id)")
        }
        guard let line else {
            end()
            crashCount += 1
            guard crashCount < Self.mostCrashes else {
                throw await process.error("it has ended \(crashCount) times in succession, last in \(vectorCase.id)")
            }
            return .failed("the shim ended without an answer")
        }
        guard case .answer(let answer) = line else {
            throw await process.error("\(process.pipe.fault("\(line.type) is out of place")), in \(vectorCase.id)")
        }
        crashCount = 0
        if case .result(let given) = answer, case .fields(let due) = vectorCase.expectation {
            members[vectorCase.operation, default: ([], [])].given.formUnion(given.members.map(\.name))
            members[vectorCase.operation, default: ([], [])].due.formUnion(due.members.map(\.name))
        }
        return vectorCase.judge(answer)
    }

    private func started() async throws -> ShimProcess {
        if let process { return process }
        let process = try await ShimProcess.start(command.words)
        self.process = process
        do {
            hello = try await within(timeout, "its first line") { try await process.hello() }
        } catch let deviation as Deviation {
            throw await process.error("it is not a shim: \(deviation.reason)")
        } catch let fault as ShimFault {
            throw await process.error("\(fault)")
        }
        return process
    }

    private func end() {
        process?.end()
        process = nil
    }
}

extension VectorCase {
    /// Outcome of the case, by a shim's answer. A refusal passes without a kind, but not with another one; an output
    /// with the members that it has.
    fileprivate func judge(_ answer: ShimAnswer) -> Outcome {
        switch answer {
        case .unsupported: return .notOffered
        case .result(let fields):
            guard case .fields(let due) = expectation else { return judge(.fields(fields)) }
            let missing = due.members.filter { fields[$0.name] == nil }
            guard missing.count < due.members.count else { return .failed("its output has no member of \(operation)") }
            return judge(.fields(CaseFields(fields.members + missing)))
        case .error(let kind?, let reason):
            return judge(.refusal(OperationFailure(.init(rawValue: kind), reason: reason ?? "no reason")))
        case .error(nil, let reason):
            guard case .failure = expectation else {
                return .failed("refused (\(reason ?? "no reason")), but \(expectation) was expected")
            }
            return .passed
        }
    }
}
