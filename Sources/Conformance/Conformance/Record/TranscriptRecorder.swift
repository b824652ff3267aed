internal import Synchronization

/// The recorder of one case's ``Transcript``: the wire ends put in the bytes that they carry, sessions their meaning.
final class TranscriptRecorder: Sendable {
    typealias Direction = Transcript.Direction

    /// An entry, and how its bytes are recognised.
    fileprivate struct Recorded {
        var entry: Transcript.Entry
        let bytes: Fingerprint
    }

    /// A sealed message and its plaintext.
    fileprivate struct Opened {
        var entry: Transcript.Entry
        let frame: Fingerprint
        var isShown = false
    }

    private struct State {
        var head: [Recorded] = []
        var tail: [Recorded] = []
        var omittedCount = 0
        var opened: [Opened] = []
        var adverts: Set<[UInt8]> = []
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now
    private static let headLimit = Transcript.entryLimit - Transcript.tailLimit

    /// Records bytes that the runner sends.
    func sent(_ channel: String, _ what: String, _ bytes: [UInt8]) { record(.sent, channel, what, bytes) }

    /// Records bytes of the peer.
    func received(_ channel: String, _ what: String, _ bytes: [UInt8]) { record(.received, channel, what, bytes) }

    /// Records an advert, the first time only: radios repeat them.
    func advert(_ direction: Direction, _ what: String, _ bytes: [UInt8]) {
        let isNew = state.withLock { $0.adverts.count < Transcript.entryLimit && $0.adverts.insert(bytes).inserted }
        if isNew { record(direction, "advert", what, bytes) }
    }

    /// Records an event. One that repeats the last entry is left out.
    func note(_ channel: String, _ what: String) {
        let isRepeated = state.withLock { state in
            let last = (state.tail.last ?? state.head.last)?.entry
            return last.map { $0.direction == .note && $0.channel == channel && $0.what == what } ?? false
        }
        if !isRepeated { record(.note, channel, what, []) }
    }

    private func record(_ direction: Direction, _ channel: String, _ what: String, _ bytes: [UInt8]) {
        var recorded = Recorded(
            entry: Transcript.Entry(time: .now - start, direction: direction, channel: channel, what: what),
            bytes: Fingerprint(bytes))
        recorded.entry.show(bytes)
        state.withLock { state in
            if let index = state.opened.lastIndex(where: { recorded.bytes.begins(with: $0.frame) }) {
                state.opened[index].isShown = true
                recorded.explain(state.opened[index].entry, isWhole: recorded.bytes.isWhole(state.opened[index].frame))
            }
            guard state.head.count >= Self.headLimit else { return state.head.append(recorded) }
            state.tail.append(recorded)
            guard state.tail.count > Transcript.tailLimit else { return }
            state.tail.removeFirst()
            state.omittedCount += 1
        }
    }

    /// Records the plaintext of a sealed message, in the place of the bytes that went or go over the channel.
    ///
    /// - Parameters:
    ///   - frame: the sealed message.
    ///   - what: the kind of message.
    ///   - message: the plaintext.
    func explain(_ frame: [UInt8], _ what: String, _ message: [UInt8]) {
        var opened = Opened(
            entry: Transcript.Entry(time: .now - start, direction: .note, channel: "session", what: what),
            frame: Fingerprint(frame))
        opened.entry.show(message)
        state.withLock { state in
            // One that is not there is still to be sent.
            opened.isShown = Self.explain(&state.tail, opened) || Self.explain(&state.head, opened)
            if state.opened.count < Transcript.entryLimit { state.opened.append(opened) }
        }
    }

    private static func explain(_ entries: inout [Recorded], _ opened: Opened) -> Bool {
        guard let index = entries.lastIndex(where: { $0.bytes.begins(with: opened.frame) }) else { return false }
        entries[index].explain(opened.entry, isWhole: entries[index].bytes.isWhole(opened.frame))
        return true
    }

    /// The transcript until now. A sealed message that did not go over a channel as one piece stands beside its pieces.
    var transcript: Transcript {
        state.withLock { state in
            let hidden = state.opened.filter { !$0.isShown }.map { opened in
                var entry = opened.entry
                entry.what = "sealed in pieces, or not sent: \(entry.what)"
                return entry
            }
            let entries = (state.head + state.tail).map(\.entry) + hidden
            return Transcript(entries: entries.sorted { $0.time < $1.time }, omittedCount: state.omittedCount)
        }
    }
}

extension TranscriptRecorder.Recorded {
    /// Puts the plaintext in the place of a sealed message; of one that was changed or cut, only its kind is named.
    fileprivate mutating func explain(_ opened: Transcript.Entry, isWhole: Bool) {
        guard isWhole else {
            entry.what += ", cut or changed: \(opened.what)"
            return
        }
        entry.what = opened.what
        entry.bytes = opened.bytes
        entry.more = opened.more
    }
}

extension Transcript.Entry {
    /// Takes as many bytes as are kept.
    fileprivate mutating func show(_ bytes: [UInt8]) {
        self.bytes = Array(bytes.prefix(Transcript.byteLimit))
        more = bytes.count - self.bytes.count
    }
}

/// Fingerprint of a sealed message, which need not be kept: no two have the same beginning.
fileprivate struct Fingerprint {
    private let prefix: [UInt8]
    private let hash: Int
    /// The same without the terminator of L2CAP, if the bytes end in one.
    private let unterminated: Int?

    private static let prefixByteCount = 32

    init(_ bytes: [UInt8]) {
        prefix = Array(bytes.prefix(Self.prefixByteCount))
        hash = bytes.hashValue
        let terminator = NearbyEnd.terminator
        let isTerminated = bytes.suffix(terminator.count) == terminator[...]
        unterminated = isTerminated ? Array(bytes.dropLast(terminator.count)).hashValue : nil
    }

    /// True if these bytes begin as a sealed message does, which is never as short.
    func begins(with frame: Fingerprint) -> Bool {
        prefix.count == Self.prefixByteCount && prefix == frame.prefix
    }

    /// True if these bytes are a sealed message, with or without a terminator.
    func isWhole(_ frame: Fingerprint) -> Bool { hash == frame.hash || unterminated == frame.hash }
}
