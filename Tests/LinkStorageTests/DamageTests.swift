import Cryptography
import Encodings
import Foundation
import HybridTransport
import Testing

/// Damage with which neither kind of file is read, and which leaves the file as it is.
@Suite("A file of links")
struct DamageTests {
    /// Nothing reads or changes the file, and afterwards it is as it was.
    private func expectRefusal(
        _ kind: LinkFileKind, _ path: String, _ code: LinkFileError.Code, _ comment: Comment? = nil
    ) throws {
        let before = try Fixture.contents(path)
        #expect(try Fixture.code { _ = try kind.count(path) } == code, comment)
        for change in kind.changes(path) { #expect(try Fixture.code(change) == code, comment) }
        #expect(try Fixture.contents(path) == before, comment)
    }

    @Test("that others may use is refused with what to do, and left alone", arguments: LinkFileKind.allCases)
    func exposed(_ kind: LinkFileKind) throws {
        for mode in [0o644, 0o640, 0o604, 0o660, 0o777] {
            try Fixture.inFolder { folder in
                let path = folder + "/f"
                try kind.make(path)
                try Fixture.setMode(mode, path)
                try expectRefusal(kind, path, .exposed)
                #expect(try Fixture.mode(path) == mode)
                do {
                    _ = try kind.count(path)
                } catch let error as LinkFileError {
                    #expect(error.reason.contains("chmod 600"))
                }
                try Fixture.setMode(0o600, path)
                #expect(try kind.count(path) == 2)
            }
        }
    }

    @Test("that was cut short anywhere is refused and left alone", arguments: LinkFileKind.allCases)
    func cutShort(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            let path = folder + "/f"
            try kind.make(path)
            let whole = try Fixture.contents(path)
            for count in 0..<whole.count {
                try Fixture.write(Array(whole[..<count]), to: path)
                #expect(try Fixture.code { _ = try kind.count(path) } == .damaged, "\(count) bytes")
            }
            try expectRefusal(kind, path, .damaged)
            try Fixture.write(whole + [0], to: path)
            try expectRefusal(kind, path, .damaged)
            try Fixture.write(whole, to: path)
            #expect(try kind.count(path) == 2)
        }
    }

    @Test("with any one bit changed is refused", arguments: LinkFileKind.allCases)
    func bitChanged(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            let path = folder + "/f"
            try kind.make(path)
            let whole = try Fixture.contents(path)
            for index in whole.indices {
                var changed = whole
                changed[index] ^= 1 << UInt8(index % 8)
                try Fixture.write(changed, to: path)
                let code = try Fixture.code { _ = try kind.count(path) }
                // A version that is higher by one bit is a newer one.
                #expect(code == .damaged || code == .newerVersion, "byte \(index)")
            }
        }
    }

    @Test("of a newer version is refused as such, whatever else is in it", arguments: LinkFileKind.allCases)
    func newerVersion(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            let path = folder + "/f"
            try kind.make(path)
            var header = try #require(try header(of: path).mapValue)
            header["version"] = 3
            header["links"] = "something new"
            let bytes = header.encoded() + [1, 2, 3]
            try Fixture.write(bytes, to: path)
            try expectRefusal(kind, path, .newerVersion)
        }
    }

    @Test("of the other kind, of none, or of version 0 is refused", arguments: LinkFileKind.allCases)
    func otherKind(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            let path = folder + "/f"
            for other in LinkFileKind.allCases where other.isClient != kind.isClient {
                try other.make(path)
                try expectRefusal(kind, path, .damaged)
            }
            for bytes in [[], [0xa0], [UInt8](repeating: 0xff, count: 100), Array("not CBOR".utf8)] as [[UInt8]] {
                try Fixture.write(bytes, to: path)
                try expectRefusal(kind, path, .damaged)
            }
        }
    }

    @Test("with a whole checksum over nonsense is refused too", arguments: LinkFileKind.allCases)
    func nonsense(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            let path = folder + "/f"
            try kind.make(path)
            let whole = try #require(try header(of: path).mapValue)
            let entry = try #require(whole["links"]?.arrayValue?.first?.mapValue)
            var lists: [CBORValue] = [1, .array([1]), .array([[:]]), .array(.init(repeating: .map(entry), count: 65))]
            for key in entry.entries.map(\.key) where key != (kind.isClient ? 3 : 5) {
                var short = entry
                short[key] = nil
                lists.append(.array([.map(short)]))
                short[key] = .unsigned(.max)
                if kind.isClient || key != 4 { lists.append(.array([.map(short)])) }
            }
            for list in lists {
                var header = whole
                header["links"] = list
                for secrets in [0, 31, 32, 33, 500] {
                    var bytes = header.encoded() + [UInt8](repeating: 1, count: secrets)
                    bytes += SHA256.hash(bytes.span)
                    try Fixture.write(bytes, to: path)
                    #expect(try Fixture.code { _ = try kind.count(path) } == .damaged, "\(list.diagnostic())")
                }
            }
        }
    }

    @Test("that is something other than a file is refused", arguments: LinkFileKind.allCases)
    func notAFile(_ kind: LinkFileKind) throws {
        try Fixture.inFolder { folder in
            try kind.make(folder + "/f")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link", withDestinationPath: folder + "/f")
            #expect(try Fixture.code { _ = try kind.count(folder + "/link") } == .notAFile)
            try FileManager.default.createDirectory(atPath: folder + "/d", withIntermediateDirectories: false)
            #expect(try Fixture.code { _ = try kind.count(folder + "/d") } == .notAFile)
        }
    }

    private func header(of path: String) throws -> CBORValue {
        let bytes = try Fixture.contents(path)
        return try CBORValue.decodePrefix(bytes.span).value
    }
}
