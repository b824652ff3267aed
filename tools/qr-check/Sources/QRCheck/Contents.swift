/// SplitMix64: the same contents on every run with the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// The contents of a random invitation: `FIDO:/` and 69 random bytes as digits, seven bytes in seventeen digits.
func randomInvitation(using generator: inout SeededGenerator) -> [UInt8] {
    let byteCount = 69
    let digitCounts = [0, 3, 5, 8, 10, 13, 15, 17]
    let chunkLength = 7
    var text = "FIDO:/"
    var left = byteCount
    while left > 0 {
        let length = min(chunkLength, left)
        let value = generator.next() >> UInt64(UInt64.bitWidth - 8 * length)
        let digits = String(value)
        text += String(repeating: "0", count: digitCounts[length] - digits.count) + digits
        left -= length
    }
    return Array(text.utf8)
}

/// Random contents: stretches of digits, capitals, other text and raw bytes, of any length that may fit a symbol.
func randomContents(using generator: inout SeededGenerator) -> [UInt8] {
    // A set of the four alphabets, at least one of them; the length that fits is that of the most costly.
    let set = Int.random(in: 1..<1 << alphabets.count, using: &generator)
    let chosen = alphabets.indices.filter { set >> $0 & 1 == 1 }
    let longest = Double(chosen.map { longestContents[$0] }.min() ?? 1)
    let share = Double.random(in: 0...1, using: &generator)
    let length = max(1, Int(longest * share * share * share))  // more short ones than long ones
    let longestStretch = Bool.random(using: &generator) ? 8 : 60
    var contents: [UInt8] = []
    while contents.count < length {
        let alphabet = alphabets[chosen.randomElement(using: &generator) ?? 0]
        let stretch = min(Int.random(in: 1...longestStretch, using: &generator), length - contents.count)
        for _ in 0..<stretch { contents.append(alphabet.randomElement(using: &generator) ?? 0) }
    }
    return contents
}

private let alphabets: [[UInt8]] = [
    Array("0123456789".utf8),
    Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8),
    Array("abcdefghijklmnopqrstuvwxyz,;?!_#&=()äöüßéñ".utf8),
    Array(UInt8.min...UInt8.max),
]

/// Characters of each alphabet that fit version 40 at level L.
private let longestContents = [7_089, 4_296, 2_953, 2_953]
