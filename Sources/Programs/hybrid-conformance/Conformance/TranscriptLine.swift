import CommandLine
import Conformance
import Encodings

/// An entry of a transcript, in a line of `--json`.
struct TranscriptLine: Encodable {
    /// The time since the case began, in milliseconds, to the microsecond.
    let ms: Double
    let direction: String
    let channel: String
    let what: String
    let hex: String
    /// The number of bytes that are left out.
    let more: Int

    init(_ entry: Transcript.Entry) {
        ms = (entry.milliseconds * 1_000).rounded() / 1_000
        direction = entry.direction.rawValue
        channel = entry.channel
        what = entry.what
        hex = Hexadecimal.encode(entry.bytes)
        more = entry.more
    }

    /// The lines of a transcript; nil for an empty one.
    static func lines(_ transcript: Transcript) -> [TranscriptLine]? {
        transcript.entries.isEmpty ? nil : transcript.entries.map(TranscriptLine.init)
    }
}
