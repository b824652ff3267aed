internal import HybridProtocol

// Messages after the first one, good and bad ones: a type byte, and whatever follows it (HT-MSG-16).

extension MessageType {
    /// The type byte and a payload, which is not examined.
    func message(_ payload: [UInt8] = []) -> [UInt8] { [rawValue] + payload }

    /// The type byte and a text.
    func message(_ text: String) -> [UInt8] { message(Array(text.utf8)) }
}
