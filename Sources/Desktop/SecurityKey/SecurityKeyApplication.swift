package import CTAP
package import PasskeyAuthenticator

/// Application behind a security key: answers one CTAP request at a time.
package protocol SecurityKeyApplication: Sendable {
    /// Answers a request.
    ///
    /// Cancelling the task is CTAPHID_CANCEL, or says that nobody waits for the answer any more: then it returns soon,
    /// with `CTAP2_ERR_KEEPALIVE_CANCEL`. It is not called again before it has returned.
    ///
    /// - Parameters:
    ///   - request: the command byte and its CBOR, 1 to 7,609 bytes.
    ///   - status: tells what keep-alives say from now on; it is `processing` at first. It does not wait.
    /// - Returns: the status byte and its CBOR, 1 to 7,609 bytes.
    func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void
    ) async -> [UInt8]
}

/// Passkeys of this machine behind a security key: the authenticator as it is everywhere, reached by USB.
extension PasskeyAuthenticator: SecurityKeyApplication {}
