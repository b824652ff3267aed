internal import Cryptography
internal import HybridProtocol

/// An advert, also of a plaintext that no authenticator may seal.
package struct CraftedAdvert: Sendable {
    /// A reserved byte, a nonce, a routing ID, and a domain number: 16 bytes.
    let plaintext: [UInt8]
    /// The key of the session: 64 bytes.
    let eidKey: [UInt8]
    /// The encrypted plaintext: 16 bytes.
    let block: [UInt8]
    /// The first 4 bytes of the block's authentication code.
    var tag: [UInt8] { get throws { Array(code(of: block).prefix(Self.tagByteCount)) } }
    /// The block and the tag: 20 bytes.
    package var bytes: [UInt8] { get throws { try block + tag } }

    static let tagByteCount = AdvertKey.advertByteCount - AdvertPlaintext.byteCount

    /// Seals a plaintext.
    package init(_ plaintext: [UInt8], eidKey: [UInt8]) throws {
        self.plaintext = plaintext
        self.eidKey = eidKey
        block = try Self.transform(plaintext, .encrypt, eidKey)
    }

    /// The EID key of a secret: 64 bytes.
    ///
    /// - Parameters:
    ///   - secret: of the QR code, 16 bytes, or of a link, 32 bytes.
    ///   - nonce: the client's, 16 bytes, where the secret is a link's.
    package static func eidKey(_ secret: [UInt8], nonce: [UInt8] = []) -> [UInt8] {
        KeySchedule.derive(.eidKey, from: secret.span, salt: nonce.span, byteCount: AdvertKey.byteCount).copiedBytes
    }

    /// The plaintext of service data, whatever it says: 16 bytes; nil if the advert is another session's.
    package static func open(_ serviceData: [UInt8], eidKey: [UInt8]) throws -> [UInt8]? {
        guard serviceData.count >= AdvertKey.advertByteCount else { return nil }
        let plaintext = try transform(Array(serviceData.prefix(AdvertPlaintext.byteCount)), .decrypt, eidKey)
        let isOurs = try serviceData.starts(with: Self(plaintext, eidKey: eidKey).bytes)
        return isOurs ? plaintext : nil
    }

    private static func transform(
        _ block: [UInt8], _ direction: AES256Block.Direction, _ eidKey: [UInt8]
    ) throws -> [UInt8] {
        var cipher = try AES256Block(key: eidKey.span.extracting(first: AES256Block.keyByteCount), direction)
        return try cipher.transform(block.span)
    }

    /// The authentication code of a message: 32 bytes.
    package func code(of message: [UInt8]) -> [UInt8] {
        hmac(message, key: Array(eidKey.dropFirst(AES256Block.keyByteCount)))
    }

    /// The advert of another plaintext in the same session: 20 bytes.
    func sealing(_ plaintext: [UInt8]) throws -> [UInt8] { try Self(plaintext, eidKey: eidKey).bytes }
}
