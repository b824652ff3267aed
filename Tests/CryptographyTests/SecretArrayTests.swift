import Testing

@testable import Cryptography

/// Contents; LibraryCallsTests see the wiping.
@Suite struct SecretArrayTests {
    /// Not of the program's own data, which are never given back.
    private let bytes = randomBytes(count: 32)

    @Test("It has the bytes of its array, and gives them back")
    func keeps() {
        var secret = SecretArray(bytes)
        secret.append([1, 2].span)
        secret.bytes[0] = 7
        let all = [7] + bytes.dropFirst() + [1, 2]
        let (count, isSame) = (secret.count, constantTimeEquals(secret.span, all.span))
        #expect(count == 34 && isSame)
        #expect(secret.take() == all)
    }

    @Test("The array that it was made of stays, and one that is missing makes none")
    func others() {
        let before = bytes.map(\.self)
        _ = SecretArray(bytes)
        _ = SecretArray(Optional(bytes))
        #expect(bytes == before)
        let none = SecretArray(nil) == nil
        #expect(none)
    }

    @Test("Cleared, it has zeros of the same number")
    func clears() {
        var secret = SecretArray(bytes)
        secret.clear()
        #expect(secret.take() == [UInt8](repeating: 0, count: 32))
    }
}
