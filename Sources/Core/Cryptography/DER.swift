/// DER (X.690), as far as keys and certificates need it: the tags for ``DERReader``, and elements to write.
package enum DER {
    /// The first bytes of elements.
    package enum Tag: UInt8, Sendable {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case null = 0x05
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case printableString = 0x13
        case utcTime = 0x17
        case generalizedTime = 0x18
        case sequence = 0x30
        case set = 0x31
        /// `[1]` of a primitive type.
        case primitive1 = 0x81
        /// `[0]`, `[1]` and `[3]`, constructed.
        case constructed0 = 0xA0
        case constructed1 = 0xA1
        case constructed3 = 0xA3
    }

    /// The contents of object identifiers.
    package enum Identifier {
        /// 1.2.840.10045.2.1, id-ecPublicKey (RFC 5480 section 2.1.1).
        package static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        /// 1.2.840.10045.3.1.7, prime256v1 or secp256r1 (RFC 5480 section 2.1.1.1).
        package static let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        /// 1.2.840.10045.4.3.2, ecdsa-with-SHA256 (RFC 5758 section 3.2).
        package static let ecdsaWithSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
        /// 1.3.101.112, id-Ed25519 (RFC 8410 section 3).
        package static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
        /// 1.2.840.113549.1.1.1, rsaEncryption (RFC 8017 appendix C).
        package static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        /// 2.5.29.19, basicConstraints (RFC 5280 section 4.2.1.9).
        package static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
        /// 2.5.4.3, 6, 10 and 11, the attributes of names (RFC 5280 appendix A.1).
        package static let commonName: [UInt8] = [0x55, 0x04, 0x03]
        package static let countryName: [UInt8] = [0x55, 0x04, 0x06]
        package static let organizationName: [UInt8] = [0x55, 0x04, 0x0A]
        package static let organizationalUnitName: [UInt8] = [0x55, 0x04, 0x0B]
    }

    /// The first bytes of a long length: the number of the bytes that follow, 0x80 added.
    enum LengthForm {
        static let long: UInt8 = 0x80
        static let oneByte: UInt8 = 0x81
        static let twoBytes: UInt8 = 0x82
    }

    /// The tag and the length of an element of less than 64 KiB.
    static func head(_ tag: Tag, byteCount: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: byteCount)
        return switch byteCount {
        case ..<Int(LengthForm.long): [tag.rawValue, low]
        case ...Int(UInt8.max): [tag.rawValue, LengthForm.oneByte, low]
        default: [tag.rawValue, LengthForm.twoBytes, UInt8(truncatingIfNeeded: byteCount >> UInt8.bitWidth), low]
        }
    }

    /// An element of less than 64 KiB.
    package static func element(_ tag: Tag, _ contents: [UInt8]) -> [UInt8] {
        head(tag, byteCount: contents.count) + contents
    }

    /// A SEQUENCE of elements.
    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(.sequence, Array(elements.joined())) }
}
