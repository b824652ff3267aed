package import CTAP
internal import Encodings
package import PasskeyAuthenticator

/// A way to a phone: a request goes there, and its answer comes back.
package protocol PhoneCeremony: Sendable {
    /// Sends a phone one request. Cancelling the task ends the ceremony, and the phone is told.
    ///
    /// - Parameter request: a registration or a sign-in. Extensions that this phone does not know are left out of it:
    ///   see `CTAPRequest.fitting(_:)`.
    /// - Returns: the status byte, then CBOR: the phone's answer, not yet checked.
    /// - Throws: ``CTAPFailure`` if there is no answer.
    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8]
}

extension CTAPRequest {
    /// The request without the extensions that a phone's getInfo does not list: phones are reported to fail because of
    /// an extension that they do not know.
    package func fitting(_ info: GetInfoResponse) -> CTAPRequest {
        guard case .makeCredential(var request) = self else { return self }
        request.extensions = .init(
            request.extensions.entries.filter { $0.key.textValue.map(info.extensions.contains) ?? false })
        return .makeCredential(request)
    }
}
