import Testing

@testable import Cryptography

@Suite("Memory for secrets")
struct SecretMemoryTests {
    @Test("is reserved once, and then holds secrets, of any number of bytes")
    func reserve() throws {
        // Whether the memory is locked depends on how much of it this user may lock.
        SecretMemory.reserve(byteCount: 1 << 20)
        let secret = SecretBytes.random(count: 1_000)
        #expect(SecretMemory.usedByteCount >= 1_000)
        // More than there is lies elsewhere, and none at all is possible.
        let large = SecretBytes(copying: [UInt8](repeating: 7, count: 2 << 20).span)
        let empty = SecretBytes(copying: [UInt8]().span)
        #expect(large.count == 2 << 20 && large.span[1] == 7)
        #expect(secret.count == 1_000 && empty.count == 0)
    }
}
