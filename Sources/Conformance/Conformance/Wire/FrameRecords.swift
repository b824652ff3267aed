/// The TLS records in which a peer's frames came.
struct FrameRecords: Equatable {
    /// Lengths of the frames, from their heads' first bytes to their payloads' last, in bytes.
    let frames: [Int]
    /// Lengths of the records that carried them, in bytes.
    let records: [Int]
    /// True if the lengths of the records are those of their contents, false if encryption has added to them.
    let areOpened: Bool

    /// The bytes that a record adds to its contents: in TLS 1.3 a content type and a tag, in TLS 1.2 a nonce and a tag,
    /// or a tag.
    private static let overheads = [17, 24, 16]
    /// The longest list of lengths in a description.
    private static let shownCount = 12

    /// Takes the lengths of frames that were read, and of the records that came for them, encrypted. There may be more
    /// records: of frames that were not read, or with TLS's close alert.
    init(frames: [Int], encrypted: [Int]) {
        self.frames = frames
        let byteCount = frames.reduce(0, +)
        for overhead in Self.overheads {
            let opened = encrypted.lazy.map { $0 - overhead }
            var sum = 0
            var count = 0
            while sum < byteCount, count < encrypted.count, opened[count] >= 0 {
                sum += opened[count]
                count += 1
            }
            guard sum == byteCount else { continue }
            records = Array(opened.prefix(count))
            areOpened = true
            return
        }
        records = encrypted
        areOpened = false
    }

    /// A sentence without its end, about "it", the peer.
    var text: String {
        guard !frames.isEmpty else { return "it sends no frame" }
        if areOpened, records == frames {
            return frames.count == 1
                ? "its frame is one TLS record" : "each of its \(frames.count) frames is one TLS record"
        }
        return "its frames of \(Self.list(frames)) bytes come in\(areOpened ? "" : " encrypted") TLS records of "
            + "\(Self.list(records)) bytes"
    }

    private static func list(_ counts: [Int]) -> String {
        counts.prefix(shownCount).map(String.init).joined(separator: ", ") + (counts.count > shownCount ? ", …" : "")
    }
}
