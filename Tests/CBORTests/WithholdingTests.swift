import Encodings
import Testing

/// A byte string that is read from its place in the input, and written to its place in the output.
@Suite struct WithholdingTests {
    private static let secret: [UInt8] = [7, 8, 9]

    /// A map, the path to the secret, and the map that is read; the secret is `[7, 8, 9]`.
    static let found: [(whole: CBORMap, path: [Int], rest: CBORMap)] = [
        ([1: .bytes(secret)], [1], [1: .bytes([])]),
        ([0: 1, 1: .bytes(secret), 2: .bytes(secret)], [1], [0: 1, 1: .bytes([]), 2: .bytes(secret)]),
        ([-1: .bytes(secret)], [-1], [-1: .bytes([])]),
        (
            [1: [3: .bytes(secret), 4: "x"], 3: .bytes([1])], [1, 3],
            [1: [3: .bytes([]), 4: "x"], 3: .bytes([1])]
        ),
    ]

    @Test("The byte string at the path stays in the input, and every other one is copied", arguments: found)
    func withheld(whole: CBORMap, path: [Int], rest: CBORMap) throws {
        let encoded = whole.encoded()
        let (value, place) = try CBORValue.decode(encoded.span, withholding: path)
        #expect(value == .map(rest))
        #expect(place.map { Array(encoded[$0]) } == Self.secret)
    }

    @Test("A secret that is written in the place of zeros gives the map with the secret", arguments: found)
    func written(whole: CBORMap, path: [Int], rest: CBORMap) throws {
        let encoded = whole.encoded()
        let (_, place) = try CBORValue.decode(encoded.span, withholding: path)
        var zeros = encoded
        for index in try #require(place) { zeros[index] = 0 }
        let placeholder = try #require(try CBORValue.decode(zeros.span).mapValue)
        #expect(placeholder.encoded(writing: Self.secret.span, at: path) == encoded)
    }

    @Test(
        "Without a byte string at the path everything is read",
        arguments: [
            ([2: .bytes(secret)], [1]), ([1: "text"], [1]), ([1: .bytes(secret)], [1, 3]), ([1: [:]], [1, 3]),
            ([1: .array([.bytes(secret)])], [1]), ([1: .array([[3: .bytes(secret)]])], [1, 3]),
            ([1: .bytes(secret)], []), ([2: [3: .bytes(secret)]], [1, 3]), ([1: [2: [3: .bytes(secret)]]], [1, 3]),
        ] as [(CBORMap, [Int])])
    func absent(map: CBORMap, path: [Int]) throws {
        let encoded = map.encoded()
        let (value, place) = try CBORValue.decode(encoded.span, withholding: path)
        #expect(value == .map(map))
        #expect(place == nil)
        #expect(map.encoded(writing: [1, 2, 3, 4].span, at: path) == encoded)
    }

    @Test("Bytes after the item, a byte string that is cut short and one of indefinite length are refused")
    func refused() {
        for (input, code) in [
            ([0xa1, 1, 0x41, 0, 0], CBORError.Code.trailingBytes), ([0xa1, 1, 0x42, 0], .truncated),
            ([0xa1, 1, 0x5f, 0x41, 0, 0xff], .notCanonical),
        ] as [([UInt8], CBORError.Code)] {
            #expect(throws: CBORError(code, reason: "")) { try CBORValue.decode(input.span, withholding: [1]) }
        }
    }
}
