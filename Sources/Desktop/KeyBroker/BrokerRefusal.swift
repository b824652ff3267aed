/// The reason why a caller gets no key.
package struct BrokerRefusal: Error, Sendable, Equatable {
    /// The notice for the caller.
    package let notice: BrokerNotice
    /// The reason, for the log: lower case, one line.
    package let reason: String

    package init(_ notice: BrokerNotice, reason: String) {
        self.notice = notice
        self.reason = reason
    }
}
