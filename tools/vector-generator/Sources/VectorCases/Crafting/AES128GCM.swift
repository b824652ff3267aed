internal import Conformance
internal import Cryptography

/// AES-128-GCM (NIST SP 800-38D) without additional data: the cipher of a sender that cuts the key in half.
///
/// The protocol has no use for it; so it is made here, out of the block cipher alone.
enum AES128GCM {
    /// The length of a key: 16 bytes.
    static let keyByteCount = AES128CBC.keyByteCount
    private static let blockByteCount = AES128CBC.vectorByteCount
    private static let firstCounter: UInt32 = 1

    /// Seals a message of whole blocks.
    ///
    /// - Parameters:
    ///   - message: a multiple of 16 bytes.
    ///   - key: 16 bytes.
    ///   - nonce: 12 bytes.
    /// - Returns: the ciphertext and a tag of 16 bytes.
    static func seal(_ message: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        var ciphertext: [UInt8] = []
        var counter = firstCounter
        for start in stride(from: 0, to: message.count, by: blockByteCount) {
            counter += 1
            let keyStream = try encrypted(nonce + counter.bigEndianBytes, key)
            ciphertext += zip(message[start...], keyStream).map { $0 ^ $1 }
        }
        let mask = try encrypted(nonce + firstCounter.bigEndianBytes, key)
        let hash = hash(ciphertext, WideBlock(try encrypted(.zeros(blockByteCount), key)))
        return ciphertext + zip(hash.bigEndianBytes, mask).map { $0 ^ $1 }
    }

    /// One block by the cipher alone: the first of CBC under a vector of zeros.
    private static func encrypted(_ block: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        let vector = [UInt8].zeros(blockByteCount)
        return Array(try AES128CBC.encrypt(block.span, key: key.span, vector: vector.span).prefix(blockByteCount))
    }

    /// GHASH (section 6.4) of the ciphertext and of the block with the lengths.
    private static func hash(_ ciphertext: [UInt8], _ key: WideBlock) -> WideBlock {
        let blocks = stride(from: 0, to: ciphertext.count, by: blockByteCount).map {
            WideBlock(Array(ciphertext[$0..<($0 + blockByteCount)]))
        }
        let lengths = WideBlock(ciphertext.count * UInt8.bitWidth)
        return (blocks + [lengths]).reduce(0) { product($0 ^ $1, key) }
    }

    /// The product of two blocks (section 6.3): the most significant bit is the lowest power.
    private static func product(_ left: WideBlock, _ right: WideBlock) -> WideBlock {
        var (product, factor): (WideBlock, WideBlock) = (0, right)
        for bit in (0..<WideBlock.bitWidth).reversed() {
            if left >> bit & 1 == 1 { product ^= factor }
            factor = factor >> 1 ^ (factor & 1 == 1 ? reduction : 0)
        }
        return product
    }

    private typealias WideBlock = UInt128
    /// x^128 as a polynomial of lower degree.
    private static let reduction: WideBlock = 0xE1 << 120
}

extension UInt128 {
    /// Reads 16 bytes, the most significant first.
    fileprivate init(_ bytes: [UInt8]) { self = bytes.reduce(0) { $0 << 8 | UInt128($1) } }
}
