extension MakeCredentialRequest {
    /// Answer that all clients take for a touch: `CTAP2_ERR_PIN_NOT_SET`, the answer of a key without PIN to such a
    /// request in CTAP 2.0 (section 5.1, step 3).
    package static let touched = CTAPStatus.pinNotSet

    /// Relying parties of browsers' touch requests: of Chromium, and of Firefox (authenticator-rs).
    private static let touchRPIDs: Set = [".dummy", "make.me.blink"]

    /// True of a request for a credential that nobody wants. It only has the authenticator touched, where this does not
    /// say that it knows authenticatorSelection (FIDO_2_1).
    ///
    /// Clients send it to choose among several keys. Chromium also sends it, over any transport, to an authenticator
    /// that it cannot use: without user verification, or with none of the site's algorithms. The authenticator asks the
    /// user as for authenticatorSelection, makes nothing, and answers a yes with ``touched``.
    package var isTouchRequest: Bool {
        options.residentKey != true && (Self.touchRPIDs.contains(rp.id) || isOfLibfido2)
    }

    /// True of the request of libfido2 (fido_dev_get_touch_begin), which ssh uses.
    private var isOfLibfido2: Bool {
        rp.id == "localhost" && user.id == [1] && user.name == "dummy" && user.displayName == nil
    }
}
