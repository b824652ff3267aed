package import CTAP

/// The refusal of a request.
package struct PhoneKeyError: Error, Sendable, Hashable {
    /// The status that the program is answered with.
    package let status: CTAPStatus
    /// The reason, for the user of this machine: lower case, one line, nothing secret.
    package let reason: String

    package init(_ status: CTAPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
