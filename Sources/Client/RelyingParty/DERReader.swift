/// Reads DER elements one after the other. Source: X.690 sections 8.1 and 10.1.
struct DERReader {
    /// An element: its identifier octet and its contents.
    struct Element {
        let tag: UInt8
        let contents: ArraySlice<UInt8>
    }

    /// The identifier octets that certificates need.
    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
        static let version: UInt8 = 0xa0
        static let extensions: UInt8 = 0xa3
    }

    private var rest: ArraySlice<UInt8>

    private static let multiByteTag: UInt8 = 0x1f
    private static let longForm: UInt8 = 0x80
    private static let maxLengthOctets = 3

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// True if everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// The next element, or nil if there is none or it is not DER.
    mutating func next() -> Element? {
        var reading = rest
        guard let tag = reading.popFirst(), tag & Self.multiByteTag != Self.multiByteTag,
            let count = Self.length(&reading), count <= reading.count
        else { return nil }
        rest = reading.dropFirst(count)
        return Element(tag: tag, contents: reading.prefix(count))
    }

    /// The contents of the next element if it has this tag; nil, and nothing read, otherwise.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var reading = self
        guard let element = reading.next(), element.tag == tag else { return nil }
        self = reading
        return element.contents
    }

    /// A reader of the next element's contents, if it has this tag.
    mutating func enter(_ tag: UInt8) -> DERReader? { next(tag).map(DERReader.init) }

    private static func length(_ reading: inout ArraySlice<UInt8>) -> Int? {
        guard let first = reading.popFirst() else { return nil }
        guard first >= longForm else { return Int(first) }
        let octets = Int(first - longForm)
        guard (1...maxLengthOctets).contains(octets), octets <= reading.count else { return nil }
        let length = reading.prefix(octets).reduce(0) { $0 << UInt8.bitWidth | Int($1) }
        let isShortest = octets == 1 ? length >= longForm : length >> ((octets - 1) * UInt8.bitWidth) > 0
        reading = reading.dropFirst(octets)
        return isShortest ? length : nil
    }
}
