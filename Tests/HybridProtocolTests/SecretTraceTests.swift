import Cryptography
import Encodings
import Foundation
import HybridProtocol
import Testing

/// A secret is in memory as long as its owner lives, and nowhere afterwards.
///
/// One after the other: one search may have read the bytes that another looks for.
@Suite(.serialized) struct SecretTraceTests {
    /// An invitation with the public key G and the secret whose complement this is.
    private static let url =
        "FIDO:/0659158565283447069884143770661585681880191588041561461380449075288743021988291277984"
        + "25694973903083202139430268070250630081349723168334700265340480783106107096654083076"
    private static let complementOfQRSecret: [UInt8] = [
        0x8e, 0xb6, 0xa4, 0x58, 0xd2, 0x12, 0x18, 0xe4, 0x76, 0xce, 0xec, 0xd0, 0x7a, 0xea, 0x20, 0x1c,
    ]

    /// The complement of random bytes, the first of which is rare in memory, so that the search is fast.
    private static func complementOfLinkSecret() throws -> [UInt8] {
        [0x5a] + randomBytes(count: LinkSecret.byteCount - 1)
    }

    @Test("A secret that is kept is found, so that the search is known to work")
    func found() throws {
        let complement = try Self.complementOfLinkSecret()
        var kept = complement.map { ~$0 }
        #expect(try OwnMemory.holds(complementOf: complement))
        wipe(&kept)
        #expect(try !OwnMemory.holds(complementOf: complement))
    }

    @Test("The secret of a QR code is nowhere but in the invitation")
    func invitation() throws {
        try read(Self.url)
        #expect(try !OwnMemory.holds(complementOf: Self.complementOfQRSecret))
    }

    private func read(_ url: String) throws {
        let invitation = try Invitation(url: url)
        let isSame = invitation.url() == url
        #expect(isSame)
    }

    @Test("The secret of a link is nowhere after it was offered, received, stored and read")
    func link() throws {
        let complement = try Self.complementOfLinkSecret()
        try exchange(complement)
        #expect(try !OwnMemory.holds(complementOf: complement))
    }

    private func exchange(_ complement: [UInt8]) throws {
        var bytes = complement.map { ~$0 }
        let secret = try LinkSecret(SecretBytes(copying: bytes.span))
        wipe(&bytes)
        let root = try LinkMaker.root()
        let offer = try LinkOffer(
            contactID: ContactID(LinkMaker.contactID), linkID: LinkID(LinkMaker.linkID), secret: secret,
            identityKey: root.identityKey(), name: "")
        var pair = try Pair(details: .linkable)
        let event = try pair.client.open(pair.authenticator.sealUpdate(offering: offer))
        #expect(event == .update(.verified))
        guard let link = pair.client.takeLink() else { throw LinkMaker.NoLink() }
        let stored = link.encoded()
        let again = try Link(decoding: stored.span)
        let isSame = again.encoded().contents.count == stored.count
        #expect(isSame)
    }
}

/// The memory of this process, searched for bytes that should be gone.
private enum OwnMemory {
    private static let chunkByteCount = 1 << 20

    struct Unreadable: Error {}

    /// True if the writable memory of this process holds the complement of these bytes. The complement is given so that
    /// the search leaves no trace of its target.
    static func holds(complementOf complement: [UInt8]) throws -> Bool {
        var wanted = complement.map { ~$0 }
        var chunk = [UInt8](repeating: 0, count: chunkByteCount)
        defer {
            wipe(&wanted)
            wipe(&chunk)
        }
        return try wanted.withUnsafeBytes { wanted in
            try chunk.withUnsafeMutableBytes { chunk in try search(wanted, chunk) }
        }
    }

    private static func search(
        _ wanted: UnsafeRawBufferPointer,
        _ chunk: UnsafeMutableRawBufferPointer
    ) throws -> Bool {
        guard let wantedStart = wanted.baseAddress, let chunkStart = chunk.baseAddress else { throw Unreadable() }
        let file = open("/proc/self/mem", O_RDONLY)
        guard file >= 0 else { throw Unreadable() }
        defer { close(file) }
        for region in try regions() {
            for start in stride(from: region.lowerBound, to: region.upperBound, by: chunk.count - wanted.count + 1) {
                var left = pread(file, chunkStart, min(chunk.count, region.upperBound - start), off_t(start))
                var from = UnsafeRawPointer(chunkStart)
                while left >= wanted.count, let hit = memchr(from, Int32(wanted[0]), left - wanted.count + 1) {
                    let address = start + (UnsafeRawPointer(hit) - UnsafeRawPointer(chunkStart))
                    let isOwn = address == Int(bitPattern: wantedStart) || isInside(address, chunkStart, chunk.count)
                    if !isOwn, memcmp(hit, wantedStart, wanted.count) == 0 { return true }
                    left -= UnsafeRawPointer(hit) - from + 1
                    from = UnsafeRawPointer(hit) + 1
                }
            }
        }
        return false
    }

    private static func isInside(_ address: Int, _ start: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool {
        (Int(bitPattern: start)..<Int(bitPattern: start) + byteCount).contains(address)
    }

    /// The writable regions of the address space.
    private static func regions() throws -> [Range<Int>] {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
    }
}
