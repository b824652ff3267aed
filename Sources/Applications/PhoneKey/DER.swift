/// DER (X.690), as far as a certificate needs it.
enum DER {
    enum Tag: UInt8 {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case utf8String = 0x0c
        case printableString = 0x13
        case utcTime = 0x17
        case generalizedTime = 0x18
        case sequence = 0x30
        case set = 0x31
        case version = 0xa0
        case extensions = 0xa3
    }

    static let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
    static let prime256v1: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
    static let ecdsaWithSHA256: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]
    static let basicConstraints: [UInt8] = [0x06, 0x03, 0x55, 0x1d, 0x13]
    private static let attributeType: [UInt8] = [0x06, 0x03, 0x55, 0x04]
    private static let shortLengths = 0..<0x80
    private static let longLength: UInt8 = 0x80

    static func item(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        guard !shortLengths.contains(contents.count) else { return [tag.rawValue, UInt8(contents.count)] + contents }
        let length = withUnsafeBytes(of: contents.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag.rawValue, longLength | UInt8(length.count)] + length + contents
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { item(.sequence, Array(parts.joined())) }

    static func attribute(_ type: UInt8, _ tag: Tag, _ value: String) -> [UInt8] {
        item(.set, sequence(attributeType + [type], item(tag, Array(value.utf8))))
    }
}
