internal import HybridProtocol

extension ServiceUUID {
    private static let digits = 4
    private static let hexadecimal = 16
    private static let base = "-0000-1000-8000-00805f9b34fb"

    /// The UUID as BlueZ writes it, `0000fff9-0000-1000-8000-00805f9b34fb`.
    ///
    /// Source: Bluetooth Core Specification 5.4, volume 3, part B, 2.5.1.
    var longForm: String {
        let short = String(rawValue, radix: Self.hexadecimal)
        return "0000" + String(repeating: "0", count: Self.digits - short.utf8.count) + short + Self.base
    }
}
