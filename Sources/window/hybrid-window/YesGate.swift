/// The conditions that a question sets to its yes, whatever is asked.
struct YesGate {
    /// The time after a question is on screen in which all input is ignored, in milliseconds.
    static let pause: UInt32 = 500

    /// True once the pause is over.
    private(set) var isSettled = false
    /// True once everything has been on screen; no change of the window's size takes it back.
    private(set) var isSeen = false
    /// True once the question is answered: there is one answer to each.
    private(set) var isAnswered = false

    /// True if a no is possible.
    var takesNo: Bool { isSettled && !isAnswered }
    /// True if a yes is possible, as far as it does not depend on typed or selected input.
    var takesYes: Bool { takesNo && isSeen }

    mutating func settle() { isSettled = true }
    mutating func see() { isSeen = true }
    mutating func answer() { isAnswered = true }
}
