/// A run of many cases, several at a time, each of which counts only beside its control case.
///
/// The cases that share a control case run in blocks. The control case runs before the first block and after each. The
/// verdicts of a block are given once both runs of its control case have come to their good end; otherwise the block is
/// run again, case by case, with the control case before and after each.
struct ControlledRun<Context: Sendable>: Sendable {
    /// The number of cases between two runs of their control case.
    static var blockCount: Int { 25 }

    private let runner: CaseRunner<Context>
    private let blocks: [Block]
    private let steps: [Step]

    /// Cases between two runs of their control case.
    private struct Block {
        let control: ScriptedCase<Context>
        let cases: ArraySlice<ScriptedCase<Context>>
        /// The run of the control case before the block, by its place among all; the one after it is the next.
        let checkpoint: Int
    }

    /// Step of a run.
    private enum Step {
        case free(ScriptedCase<Context>)
        case inBlock(Int, ScriptedCase<Context>)
        case control(checkpoint: Int, ScriptedCase<Context>)

        var scripted: ScriptedCase<Context> {
            switch self {
            case .free(let scripted), .inBlock(_, let scripted), .control(_, let scripted): scripted
            }
        }

        var isControl: Bool { if case .control = self { true } else { false } }
    }

    /// Plans a run.
    ///
    /// - Parameters:
    ///   - cases: the cases to run.
    ///   - controls: the cases among which their control cases are.
    /// - Throws: ``RunnerError`` with `no-control-case` for a case whose control case is not among them.
    init(
        _ cases: [ScriptedCase<Context>], controls: [ScriptedCase<Context>], _ runner: CaseRunner<Context>
    ) throws(RunnerError) {
        var blocks: [Block] = []
        let free = cases.filter { $0.testCase.controlCase == nil }
        // Cases of a form that others read leniently come first.
        var steps = (free.filter { Self.isOfForm($0) } + free.filter { !Self.isOfForm($0) }).map(Step.free)
        var checkpoint = 0
        let needing = Dictionary(grouping: cases) { $0.testCase.controlCase }
        for (id, cases) in needing.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            guard let id else { continue }
            guard let control = controls.first(where: { $0.testCase.id == id }) else {
                throw RunnerError(.noControlCase, reason: "there is no case \(id)")
            }
            steps.append(.control(checkpoint: checkpoint, control))
            for start in stride(from: 0, to: cases.count, by: Self.blockCount) {
                let block = cases[start..<min(start + Self.blockCount, cases.count)]
                steps += block.map { .inBlock(blocks.count, $0) }
                blocks.append(Block(control: control, cases: block, checkpoint: checkpoint))
                checkpoint += 1
                steps.append(.control(checkpoint: checkpoint, control))
            }
            checkpoint += 1
        }
        self.runner = runner
        self.blocks = blocks
        self.steps = steps
    }

    private static func isOfForm(_ scripted: ScriptedCase<Context>) -> Bool {
        scripted.testCase.id.hasSuffix("canonical")
    }

    /// Runs all cases.
    ///
    /// - Parameters:
    ///   - jobs: the number of cases at a time.
    ///   - report: called with each result, as soon as it counts.
    ///   - noteControl: called with each run of a control case.
    /// - Throws: ``RunnerError``, after which nothing more is run; `CancellationError`.
    func run(
        jobs: Int, report: @escaping @Sendable (CaseResult) -> Void,
        noteControl: @escaping @Sendable (CaseResult) -> Void
    ) async throws {
        let report = { @Sendable (result: CaseResult) in report(result.withoutNeedless) }
        let noteControl = { @Sendable (result: CaseResult) in noteControl(result.withoutNeedless) }
        let held = try await runAtOnce(jobs: jobs, report: report, noteControl: noteControl)
        for (block, results) in zip(blocks, held) where !results.isEmpty {
            try await runOneByOne(block, after: results, report: report, noteControl: noteControl)
        }
    }

    /// Runs everything once.
    ///
    /// - Returns: the results of the blocks of which they do not count yet, by block.
    private func runAtOnce(
        jobs: Int, report: @escaping @Sendable (CaseResult) -> Void,
        noteControl: @escaping @Sendable (CaseResult) -> Void
    ) async throws -> [[CaseResult]] {
        var held = [[CaseResult]](repeating: [], count: blocks.count)
        var controls: [Int: Verdict] = [:]
        try await withThrowingTaskGroup(of: (Step, CaseResult).self) { group in
            var waiting = steps[...]
            func startNext() {
                guard let step = waiting.popFirst() else { return }
                group.addTask { (step, try await runner.run(step.scripted, isControl: step.isControl)) }
            }
            for _ in 0..<max(1, jobs) { startNext() }
            while let (step, result) = try await group.next() {
                startNext()
                switch step {
                case .free: report(result)
                case .inBlock(let block, _): held[block].append(result)
                case .control(let checkpoint, _):
                    controls[checkpoint] = result.verdict
                    noteControl(result)
                }
                for (index, block) in blocks.enumerated() where held[index].count == block.cases.count {
                    let isGood = [block.checkpoint, block.checkpoint + 1].allSatisfy { controls[$0]?.isGood ?? false }
                    guard isGood else { continue }
                    held[index].forEach(report)
                    held[index] = []
                }
            }
        }
        return held
    }

    /// Runs a block whose control case has not come to its good end both times.
    ///
    /// - Parameter results: those of the first time, of which deviations count whatever the control case does.
    private func runOneByOne(
        _ block: Block, after results: [CaseResult], report: (CaseResult) -> Void, noteControl: (CaseResult) -> Void
    ) async throws {
        func control() async throws -> Verdict {
            let result = try await runner.run(block.control, isControl: true)
            noteControl(result)
            return result.verdict
        }
        var before = try await control()
        for (index, scripted) in zip(block.cases.indices, block.cases) {
            if !before.isGood { before = try await control() }
            guard before.isGood else {
                // Twice in succession: no more of the block is tried.
                for scripted in block.cases[index...] {
                    guard var result = results.first(where: { $0.testCase == scripted.testCase }) else { continue }
                    if result.verdict.isGood { result.verdict = before.asControl(of: result.testCase) }
                    report(result)
                }
                return
            }
            var result = try await runner.run(scripted)
            before = try await control()
            if !before.isGood, result.verdict.isGood { result.verdict = before.asControl(of: result.testCase) }
            report(result)
        }
    }
}
