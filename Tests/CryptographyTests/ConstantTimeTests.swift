import Cryptography
import Testing

@Suite struct ConstantTimeTests {
    @Test("Equal bytes are equal", arguments: [0, 1, 4, 16, 32, 1000])
    func equal(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(equals(bytes, bytes))
    }

    @Test("One bit anywhere makes them differ")
    func bitFlips() {
        let bytes = [UInt8](0..<64)
        for flipped in singleBitFlips(bytes) { #expect(!equals(bytes, flipped)) }
    }

    @Test("Other lengths differ, also if one begins with the other")
    func lengths() {
        #expect(!equals([1, 2, 3], [1, 2]))
        #expect(!equals([1, 2], [1, 2, 3]))
        #expect(!equals([], [0]))
    }

    @Test("Wiping leaves zeros of the same length")
    func wipes() {
        var bytes = [UInt8](1...100)
        wipe(&bytes)
        #expect(bytes == [UInt8](repeating: 0, count: 100))
        var nothing: [UInt8] = []
        wipe(&nothing)
        #expect(nothing.isEmpty)
    }

    @Test("Random bytes have their length, and no two draws are the same")
    func random() throws {
        #expect(randomBytes(count: 0).isEmpty)
        #expect(randomBytes(count: 100_000).count == 100_000)
        #expect(Set((0..<64).map { _ in randomBytes(count: 16) }).count == 64)
    }

    private func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool { constantTimeEquals(left.span, right.span) }
}
