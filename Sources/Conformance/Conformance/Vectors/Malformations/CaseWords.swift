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
