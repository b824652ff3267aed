/// The certainty of the rule that a case comes from. `Vectors/README.md` says what each word means.
package enum Certainty: String, Sendable {
    /// Several implementations, or one and a recomputation, say so.
    case certain
    /// An account of the specification's text says so, or a single implementation.
    case secondHand = "second-hand"
    /// The reference is silent; this is what its other rules come to.
    case implied
    /// Implementations differ.
    case disputed

    /// The certainty of a vector of this rule: that of the vector, or the rule's where that is
    /// less. What follows from other rules can be certain.
    package func limited(by rule: String) -> Self {
        switch (self, Rule.find(rule)?.certainty) {
        case (_, .disputed): .disputed
        case (.certain, .secondHand): .secondHand
        default: self
        }
    }
}

/// A remark on a case. `Vectors/README.md` explains each, and what it means to fail such a case.
package enum CaseFlag: String, Sendable {
    /// The number comes from the unit test of another implementation.
    case published
    /// Recorded from a real browser's session.
    case recorded
    /// A feature that a conforming implementation may leave out.
    case optional
    /// Accepting this is required or recommended although a sender should not produce it.
    case lenient
    /// A shape seen from, or particular to, another implementation.
    case foreign
    /// The last value on this side of a limit.
    case boundary
    /// Well-formed CBOR that breaks CTAP2's canonical rules.
    case notCanonicalCBOR = "not-canonical-cbor"
    /// An attack on, or a mistake with, an elliptic-curve point.
    case curve
    /// An honest message with something changed.
    case tamper
    /// Right bytes in the wrong place, order or direction.
    case order
}
