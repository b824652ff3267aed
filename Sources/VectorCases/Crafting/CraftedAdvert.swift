internal import Cryptography
internal import HybridProtocol

/// Adverts (PROTOCOL.md 4) of plaintexts that no authenticator may seal, too.
enum CraftedAdvert {
    /// The length of the tag behind the sealed block: 4 bytes.
    private static let tagByteCount = AdvertKey.advertByteCount - AdvertPlaintext.byteCount

    /// The EID key of a secret: 64 bytes.
    static func eidKey(_ secret: [UInt8]) throws -> [UInt8] {
        try KeySchedule.derive(.eidKey, from: secret.span, byteCount: AdvertKey.byteCount).copiedBytes
    }

    /// The sealed block and its tag: 20 bytes.
    static func seal(_ plaintext: [UInt8], eidKey: [UInt8]) throws -> [UInt8] {
        let key = Array(eidKey.prefix(AES256Block.keyByteCount))
        var cipher = try AES256Block(key: key.span, .encrypt)
        let block = try cipher.transform(plaintext.span)
        return block + (try authenticationCode(of: block, eidKey: eidKey).prefix(tagByteCount))
    }

    /// The whole code of which an advert's tag is the beginning: 32 bytes.
    static func authenticationCode(of message: [UInt8], eidKey: [UInt8]) throws -> [UInt8] {
        try hmac(message, key: Array(eidKey.dropFirst(AES256Block.keyByteCount)))
    }
}

/// HMAC-SHA-256: 32 bytes.
func hmac(_ message: [UInt8], key: [UInt8]) throws -> [UInt8] {
    var code = try HMACSHA256(key: key.span)
    return try code.authenticationCode(for: message.span)
}
