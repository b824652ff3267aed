package import LinuxSupport

/// The portal that takes pictures of the screen, after asking the user if the desktop does so. A child calls it, which
/// has no secrets: `hybrid portal-screenshot`.
///
/// Source: XDG Desktop Portal, org.freedesktop.portal.Screenshot, version 2.
package enum ScreenshotPortal {
    private static let scheme = "file://"

    /// Exit status of the child if the user does not want a picture to be taken.
    package static let declinedStatus: Int32 = 12

    /// Takes a picture of the screen.
    ///
    /// - Parameters:
    ///   - address: the session bus.
    ///   - limit: the longest time for the desktop's question to the user.
    /// - Returns: the path of the picture.
    /// - Throws: `DBusError` if the bus cannot be used; ``PortalError``; `CancellationError`.
    package static func picture(at address: DBusAddress, within limit: Duration) async throws -> String {
        let results = try await DesktopPortal.with(at: address) { portal in
            try await portal.request(
                "Screenshot", of: "org.freedesktop.portal.Screenshot",
                [.string(""), .dictionary(["interactive": .bool(false)])], within: limit)
        }
        guard let uri = results["uri"]?.stringValue, let path = path(ofURI: uri) else {
            throw PortalError(.unavailable, reason: "the desktop's portal names no file of its picture")
        }
        return path
    }

    /// The path of a file's URI (RFC 8089) of this machine; nil for anything else.
    static func path(ofURI uri: String) -> String? {
        guard uri.hasPrefix(scheme + "/") else { return nil }
        var bytes: [UInt8] = []
        var rest = uri.utf8.dropFirst(scheme.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(Substring(rest.prefix(2)))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(where: { $0 < 0x20 }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
