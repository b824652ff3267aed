internal import Cryptography
internal import HybridProtocol

extension FuzzTarget {
    static let advert = FuzzTarget(
        "advert", "adverts: foreign, ours with any contents, and their suffix", maxByteCount: 512
    ) { input in
        let eidKey = [UInt8](0..<64)
        var key = try AdvertKey(eidKey: eidKey.span)
        guard input.bool() else {
            let foreign = input.rest()
            // No input has the right tag but by a chance of 2^-32, and by having been tried before.
            _ = try? key.open(foreign.span)
            return
        }
        let plaintext = input.bytes(AdvertPlaintext.byteCount)
        let flippedBit = input.number(below: 256)
        let suffix = input.rest()

        var cipher = try AES256Block(key: eidKey.span.extracting(first: 32), .encrypt)
        let block = try cipher.transform(plaintext.span)
        var mac = HMACSHA256(key: eidKey.span.extracting(droppingFirst: 32))
        let sealed = block + mac.authenticationCode(for: block.span).prefix(4)
        let onAir = sealed + suffix

        let opened = try? key.open(onAir.span)
        if let expected = try? AdvertPlaintext(plaintext) {
            expect(opened?.plaintext == expected, "a good advert does not open to its contents")
            expect(try key.seal(expected) == sealed, "sealing differs from AES and HMAC")
        } else {
            expect(opened == nil, "an advert with refused contents opens")
        }
        let linked = try? key.openLinked(onAir.span)
        expect(linked?.bytes == (plaintext[0] == 0 ? plaintext : nil), "a linked advert opens wrongly")
        let read = AdvertSuffix(suffix.span)
        let again = read.encoded
        expect(AdvertSuffix(again.span) == read, "a suffix changes when written and read")
        if let opened { expect(opened.suffix == read, "a suffix reads differently behind an advert") }

        if flippedBit < 32 {
            var damaged = onAir
            damaged[16 + flippedBit / 8] ^= 1 << (flippedBit % 8)
            expect((try? key.open(damaged.span)) == nil, "a damaged tag opens")
        }
    }
}
