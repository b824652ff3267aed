/// The way of a security key's reports to and from the programs that use it.
package protocol ReportChannel: Sendable {
    /// The file to poll: readable when ``next()`` has an event.
    var file: Int32 { get }

    /// The next event; nil if there is none yet.
    ///
    /// - Throws: ``SecurityKeyError``; the channel is of no more use then.
    func next() throws(SecurityKeyError) -> ReportChannelEvent?

    /// Sends a report of 64 bytes to the programs. It does not wait.
    ///
    /// - Returns: false if the report cannot be taken now, and must be sent again later.
    /// - Throws: ``SecurityKeyError``; the channel is of no more use then.
    func send(_ report: [UInt8]) throws(SecurityKeyError) -> Bool
}

/// Event of a ``ReportChannel``.
package enum ReportChannelEvent: Sendable, Equatable {
    /// The key is there: programs can use it.
    case started
    /// A program has sent a report, which should have 64 bytes.
    case report([UInt8])
    /// The last program that had the key open has closed it.
    case closed
    /// Anything else.
    case other
}
