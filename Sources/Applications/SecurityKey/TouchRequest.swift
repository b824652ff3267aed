internal import CTAP

/// A request for a credential that nobody wants: so clients have one of several keys touched, where these do not say
/// that they know authenticatorSelection (FIDO_2_1).
///
/// An application asks the user as for authenticatorSelection, makes nothing, and answers a yes with ``touched``.
package enum TouchRequest {
    /// The answer that all clients take for a touch: `CTAP2_ERR_PIN_NOT_SET`, what a key without PIN answered to such
    /// a request in CTAP 2.0 (section 5.1, step 3).
    package static let touched: [UInt8] = [CTAPStatus.pinNotSet.rawValue]

    /// The relying parties of browsers' requests: of Chromium, and of Firefox (authenticator-rs).
    private static let sites: Set = [".dummy", "make.me.blink"]

    /// True for such a request.
    ///
    /// - Parameter request: The command byte and its CBOR.
    package static func isOne(_ request: [UInt8]) -> Bool {
        guard case .makeCredential(let request)? = try? CTAPRequest(decoding: request.span),
            request.options.residentKey != true
        else { return false }
        return sites.contains(request.rp.id) || isOfLibfido2(request)
    }

    /// True for the request of libfido2 (fido_dev_get_touch_begin), which ssh uses.
    private static func isOfLibfido2(_ request: MakeCredentialRequest) -> Bool {
        request.rp.id == "localhost" && request.user.id == [1] && request.user.name == "dummy"
            && request.user.displayName == nil
    }
}
