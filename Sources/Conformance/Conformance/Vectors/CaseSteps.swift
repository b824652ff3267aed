/// The steps of a case that have been done, since it may fail only at its last.
struct CaseSteps {
    private var done = 0
    private let count: Int

    private init(count: Int) { self.count = count }

    /// One more step is done.
    mutating func advance() { done += 1 }

    /// The error of the step that failed, under another kind if that was not the last: a case that is refused anywhere
    /// but at its last step shows something other than it says.
    private func judged(_ error: any Error) -> any Error {
        guard done < count - 1, let refusal = OperationFailure(error) else { return error }
        return OperationFailure(
            .init(rawValue: "\(refusal.code.rawValue)-too-early"),
            reason: "step \(done + 1) of \(count): \(refusal.reason)", place: refusal.place)
    }

    /// Does the steps of a case; `body` counts them with ``advance()``.
    static func run<Made>(count: Int, _ body: (inout CaseSteps) throws -> Made) throws -> Made {
        var steps = CaseSteps(count: count)
        do { return try body(&steps) } catch { throw steps.judged(error) }
    }
}
