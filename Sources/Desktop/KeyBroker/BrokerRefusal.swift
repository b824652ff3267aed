/// The reason why a caller gets no key. It is no `CodedError`, since its notice is a byte for the caller, not a name.
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
