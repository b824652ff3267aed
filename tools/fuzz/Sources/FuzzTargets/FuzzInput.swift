/// The fuzzer's bytes, from which a target draws its values. Where they are used up, zeros come.
struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// True if nothing is left.
    var isEmpty: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        position += 1
        return bytes[position - 1]
    }

    mutating func bool() -> Bool { byte() & 1 == 1 }

    /// A number below `bound`, which is 1 to 65536.
    mutating func number(below bound: Int) -> Int {
        let drawn = bound <= 1 << 8 ? Int(byte()) : Int(byte()) << 8 | Int(byte())
        return drawn % bound
    }

    /// One of several.
    mutating func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }

    /// So many bytes exactly.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let drawn = Array(bytes[min(position, bytes.count)...].prefix(count))
        position += drawn.count
        return drawn + [UInt8](repeating: 0, count: count - drawn.count)
    }

    /// Bytes behind their number, of which there are at most so many.
    mutating func counted(atMost most: Int) -> [UInt8] { bytes(number(below: most + 1)) }

    /// Everything that is left.
    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[min(position, bytes.count)...])
    }

    /// Changes some bytes of something in place; says whether anything is different now.
    mutating func alter(_ subject: inout [UInt8]) -> Bool {
        let before = subject
        switch number(below: 5) {
        case 0 where !subject.isEmpty: subject[number(below: min(subject.count, 1 << 16))] ^= byte()
        case 1: subject.removeLast(number(below: min(subject.count, 255) + 1))
        case 2: subject += counted(atMost: 40)
        case 3: subject = counted(atMost: 255)
        case 4 where subject.count > 1:
            let at = number(below: min(subject.count - 1, 1 << 16))
            subject.swapAt(at, at + 1)
        default: break
        }
        return subject != before
    }
}
