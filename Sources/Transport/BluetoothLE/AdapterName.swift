internal import HybridTransport

/// The kernel's names for adapters: `hci` and a number.
enum AdapterName {
    private static let prefix = "hci"
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// The longest name of an adapter, in bytes of UTF-8.
    private static let longest = 16

    static func name(ofIndex index: UInt16) -> String { prefix + String(index) }

    /// - Throws: ``RadioError`` with `invalid-address` for a name that no adapter can have.
    static func check(_ name: String) throws(RadioError) {
        let number = name.dropFirst(prefix.utf8.count)
        guard name.hasPrefix(prefix), !number.isEmpty, number.utf8.allSatisfy(digits.contains),
            name.utf8.count <= longest
        else { throw RadioError(.invalidAddress, reason: "an adapter is named hci and a number") }
    }

    /// - Throws: ``RadioError`` with `invalid-address` for a name that no adapter can have.
    static func index(of name: String) throws(RadioError) -> UInt16 {
        try check(name)
        guard let index = UInt16(name.dropFirst(prefix.utf8.count)) else {
            throw RadioError(.invalidAddress, reason: "there is no adapter with such a number")
        }
        return index
    }
}
