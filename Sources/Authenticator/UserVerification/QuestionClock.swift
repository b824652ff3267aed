/// The time in which a question can be read.
///
/// A yes that comes sooner was meant for something else: a key or a line that was being typed when the question
/// appeared. It counts as no answer, and the question is asked again. A no counts at any time.
package struct QuestionClock: Sendable {
    /// The shortest time between a question and a yes: what browsers wait, too, before a dialogue takes one.
    package static let shortestReading = Duration.milliseconds(500)
    /// The most times that a question is asked; then too many answers came too soon, which is a no.
    package static let mostAttempts = 3

    private let time: @Sendable () -> ContinuousClock.Instant

    /// Makes a clock.
    ///
    /// - Parameter time: the present time; another one in tests.
    package init(_ time: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.time = time }

    /// The present time, for a question that is shown now.
    package var now: ContinuousClock.Instant { time() }

    /// True if a question that was shown at this time cannot have been read yet.
    package func isTooSoon(since shown: ContinuousClock.Instant) -> Bool { now - shown < Self.shortestReading }
}
