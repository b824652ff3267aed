extension QRCode {
    /// The code of a ceremony as it is drawn here: as browsers draw it, level M, and version 5 or more (HT-QR-53).
    ///
    /// - Throws: `QRCodeError` for a text that has no room in a code.
    package init(ofCeremony url: String) throws {
        try self.init(text: url, level: .medium, minimumVersion: 5)
    }
}
