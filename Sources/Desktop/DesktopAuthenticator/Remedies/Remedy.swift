/// One thing that a user can do about a fault, by its name and in words. Failures of commands have one, and so have the
/// faults that doctor finds: each fact has its words once.
package struct Remedy: Sendable, Hashable {
    /// The kind of a fault, by which a program chooses its exit code.
    package enum Fault: Sendable {
        /// Something of this machine.
        case machine
        /// A refusal: the user's, or by what the user was verified by.
        case refusal
        /// A violation of the protocol by the other side.
        case violation
        case file, timeout, usage
        /// A cancelled task.
        case interruption
        /// A vault that stays locked.
        case lock
    }

    /// The name, for programs: lower case with hyphens.
    package let code: String
    /// For people: one sentence, lower case, no full stop.
    package let text: String
    /// The kind of fault that it is for.
    package let fault: Fault

    init(_ code: String, _ text: String, for fault: Fault = .machine) {
        self.code = code
        self.text = text
        self.fault = fault
    }
}
