package import CTAP

/// Failure of a request, as the client is told.
package struct CTAPFailure: Error, Sendable, Hashable {
    /// The status that the client is answered.
    package let status: CTAPStatus
    /// The reason, for the user of this machine: lower case, one line, nothing secret.
    package let reason: String

    package init(_ status: CTAPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// The failure of a request that cannot be read.
    package init(_ error: CTAPError) { self.init(error.status, error.reason) }
}
