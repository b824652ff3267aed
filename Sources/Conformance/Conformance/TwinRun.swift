/// A run of many cases, several at a time, each of which counts only beside its honest twin.
///
/// The cases that share a twin run in blocks. Their twin runs before the first block and after each. The verdicts of a
/// block are given once both of its twins have come to their good end; otherwise the block is run again, case by case,
/// with the twin before and after each.
struct TwinRun<Context: Sendable>: Sendable {
    /// The number of cases between two runs of their twin.
    static var blockCount: Int { 25 }

    private let runner: CaseRunner<Context>
    private let blocks: [Block]
    private let steps: [Step]

    /// Cases between two runs of their twin.
    private struct Block {
        let twin: ScriptedCase<Context>
        let cases: ArraySlice<ScriptedCase<Context>>
        /// The run of the twin before the block, by its place among all; the one after it is the next.
        let checkpoint: Int
    }

    /// What is run in one go.
    private enum Step {
        case free(ScriptedCase<Context>)
        case inBlock(Int, ScriptedCase<Context>)
        case twin(checkpoint: Int, ScriptedCase<Context>)

        var scripted: ScriptedCase<Context> {
            switch self {
            case .free(let scripted), .inBlock(_, let scripted), .twin(_, let scripted): scripted
            }
        }
    }

    /// Plans a run.
    ///
    /// - Parameters:
    ///   - cases: the cases to run.
    ///   - twins: the cases among which their twins are.
    /// - Throws: ``RunnerError`` with `no-twin` for a case whose twin is not among them.
    init(
        _ cases: [ScriptedCase<Context>], twins: [ScriptedCase<Context>], _ runner: CaseRunner<Context>
    ) throws(RunnerError) {
        var blocks: [Block] = []
        var steps = cases.filter { $0.testCase.honestTwin == nil }.map(Step.free)
        var checkpoint = 0
        let needing = Dictionary(grouping: cases) { $0.testCase.honestTwin }
        for (id, cases) in needing.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            guard let id else { continue }
            guard let twin = twins.first(where: { $0.testCase.id == id }) else {
                throw RunnerError(.noTwin, reason: "there is no case \(id)")
            }
            steps.append(.twin(checkpoint: checkpoint, twin))
            for start in stride(from: 0, to: cases.count, by: Self.blockCount) {
                let block = cases[start..<min(start + Self.blockCount, cases.count)]
                steps += block.map { .inBlock(blocks.count, $0) }
                blocks.append(Block(twin: twin, cases: block, checkpoint: checkpoint))
                checkpoint += 1
                steps.append(.twin(checkpoint: checkpoint, twin))
            }
            checkpoint += 1
        }
        self.runner = runner
        self.blocks = blocks
        self.steps = steps
    }

    /// Runs all cases.
    ///
    /// - Parameters:
    ///   - jobs: the number of cases at a time.
    ///   - report: called with each result, as soon as it counts.
    ///   - noteTwin: called with each run of a twin.
    /// - Throws: ``RunnerError``, after which nothing more is run; `CancellationError`.
    func run(
        jobs: Int, report: @escaping @Sendable (CaseResult) -> Void, noteTwin: @escaping @Sendable (CaseResult) -> Void
    ) async throws {
        let report = { @Sendable (result: CaseResult) in report(result.withoutNeedless) }
        let noteTwin = { @Sendable (result: CaseResult) in noteTwin(result.withoutNeedless) }
        let held = try await runAtOnce(jobs: jobs, report: report, noteTwin: noteTwin)
        for (block, results) in zip(blocks, held) where !results.isEmpty {
            try await runOneByOne(block, after: results, report: report, noteTwin: noteTwin)
        }
    }

    /// Runs everything once.
    ///
    /// - Returns: the results of the blocks of which they do not count yet, by block.
    private func runAtOnce(
        jobs: Int, report: @escaping @Sendable (CaseResult) -> Void, noteTwin: @escaping @Sendable (CaseResult) -> Void
    ) async throws -> [[CaseResult]] {
        var held = [[CaseResult]](repeating: [], count: blocks.count)
        var twins: [Int: Verdict] = [:]
        try await withThrowingTaskGroup(of: (Step, CaseResult).self) { group in
            var waiting = steps[...]
            func startNext() {
                guard let step = waiting.popFirst() else { return }
                group.addTask { (step, try await runner.run(step.scripted)) }
            }
            for _ in 0..<max(1, jobs) { startNext() }
            while let (step, result) = try await group.next() {
                startNext()
                switch step {
                case .free: report(result)
                case .inBlock(let block, _): held[block].append(result)
                case .twin(let checkpoint, _):
                    twins[checkpoint] = result.verdict
                    noteTwin(result)
                }
                for (index, block) in blocks.enumerated() where held[index].count == block.cases.count {
                    let isGood = [block.checkpoint, block.checkpoint + 1].allSatisfy { twins[$0]?.isGood ?? false }
                    guard isGood else { continue }
                    held[index].forEach(report)
                    held[index] = []
                }
            }
        }
        return held
    }

    /// Runs a block whose twin has not come to its good end both times.
    ///
    /// - Parameter results: those of the first time, of which deviations count whatever the twin does.
    private func runOneByOne(
        _ block: Block, after results: [CaseResult], report: (CaseResult) -> Void, noteTwin: (CaseResult) -> Void
    ) async throws {
        func twin() async throws -> Verdict {
            let result = try await runner.run(block.twin)
            noteTwin(result)
            return result.verdict
        }
        var before = try await twin()
        for (index, scripted) in zip(block.cases.indices, block.cases) {
            if !before.isGood { before = try await twin() }
            guard before.isGood else {
                // Twice in succession: no more of the block is tried.
                for scripted in block.cases[index...] {
                    guard var result = results.first(where: { $0.testCase == scripted.testCase }) else { continue }
                    if result.verdict.isGood { result.verdict = before.asTwin(of: result.testCase) }
                    report(result)
                }
                return
            }
            var result = try await runner.run(scripted)
            before = try await twin()
            if !before.isGood, result.verdict.isGood { result.verdict = before.asTwin(of: result.testCase) }
            report(result)
        }
    }
}
