/// How far a case of several steps has come, since it may fail only at its last.
struct Progress {
    private var done = 0
    private let stepCount: Int

    /// A case that is refused anywhere but at the last of its steps shows something else than it says.
    init(stepCount: Int) { self.stepCount = stepCount }

    /// One more step is done.
    mutating func advance() { done += 1 }

    /// The error of the step that failed, under another kind if that was not the last.
    func judged(_ error: any Error) -> any Error {
        guard done < stepCount - 1, let refusal = Refusal(error) else { return error }
        return Refusal(
            kind: "\(refusal.kind)-too-early", reason: "step \(done + 1) of \(stepCount): \(refusal.reason)")
    }

    /// Does the steps of a case, which say with ``advance()`` how far they are.
    static func through<Made>(stepCount: Int, _ body: (inout Progress) throws -> Made) throws -> Made {
        var progress = Progress(stepCount: stepCount)
        do { return try body(&progress) } catch { throw progress.judged(error) }
    }
}
