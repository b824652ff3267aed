package import HybridTransport

// The times in which a user answers. The client must learn that nobody did, so that they end before the ceremony's
// own limit, with which the tunnel is closed.
extension TimeLimits {
    /// The longest time for an answer to one question: 110 of 120 seconds.
    package var question: Duration { command - reserve }
    /// The longest time for all questions of a request together, and its other steps: 115 of 120 seconds.
    var request: Duration { command - reserve / 2 }

    /// A twelfth of the command's time, but at least 2 seconds where there are as many.
    private var reserve: Duration { max(command / 12, min(command / 3, .seconds(2))) }
}
