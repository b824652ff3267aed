/// The reason of a tunnel's end, for the log and the metrics.
enum EndReason: String, Sendable, CaseIterable {
    /// An end sent a Close frame.
    case closed
    /// A connection ended without one, or its peer fell silent.
    case lost
    /// An end broke the framing's or the protocol's rules.
    case violation
    /// An end reached a limit on messages, frames, TLS records, bytes, memory, or the time of a
    /// message.
    case limit
    /// The tunnel's time was over.
    case expired
    /// The authenticator, woken, will not join.
    case declined
    /// No second end came in time.
    case unjoined = "never-joined"
    /// Others needed its place, or it was silent while places were short.
    case evicted
    /// The service was shut down.
    case drained
}
