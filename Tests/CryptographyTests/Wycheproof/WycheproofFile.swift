import Foundation
import TestPeers
import Testing

/// A file of Wycheproof's published format: groups of cases that share a key or a size (Fixtures/README.md).
struct WycheproofFile<Group: Decodable & Sendable>: Decodable, Sendable {
    let algorithm: String
    let numberOfTests: Int
    let notes: [String: Note]
    let testGroups: [Group]

    /// Meaning of a flag.
    struct Note: Decodable, Sendable {
        let description: String?
    }

    /// Reads a file under Fixtures.
    static func named(_ name: String) throws -> Self {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }
}

/// Expectation of a case.
enum WycheproofResult: String, Decodable, Sendable {
    case valid
    case invalid
    /// Either answer is right: implementations differ, and say which way.
    case acceptable
}

/// Properties of every case.
protocol WycheproofCase: Decodable, Sendable, CustomTestStringConvertible {
    var tcId: Int { get }
    var comment: String { get }
    var flags: [String] { get }
    var result: WycheproofResult { get }
}

extension WycheproofCase {
    var testDescription: String { "\(tcId): \(comment) \(flags.joined(separator: ", "))" }
}

/// Bytes that are written in hexadecimal digits.
struct Hexadecimal: Decodable, Sendable {
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        bytes = try TestPeers.bytes(decoder.singleValueContainer().decode(String.self))
    }

    /// The number that the bytes write, big-endian, in `count` bytes; nil if it has more.
    func number(byteCount count: Int) -> [UInt8]? {
        let digits = Array(bytes.drop { $0 == 0 })
        return digits.count > count ? nil : [UInt8](repeating: 0, count: count - digits.count) + digits
    }
}
