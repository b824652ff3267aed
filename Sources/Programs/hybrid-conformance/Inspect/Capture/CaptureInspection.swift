import Captures
import CommandLine
import Glibc
import HybridProtocol
import LinuxSupport
import SystemPackage

/// Reads a capture and shows the hybrid transport in it.
final class CaptureInspection {
    private let file: CaptureFile
    private let keys: CaptureKeys
    private let options: CaptureOptions
    private let hasCode: Bool
    private let reporter: Reporter
    private let output: DecryptedCapture?
    private var timeline: CaptureTimeline
    private var progress: CaptureProgress
    private var outputFailure: Failure?
    private var counts = (adverts: 0, decoys: 0, ofTheCode: 0, channels: 0, messages: 0)

    /// Prepares.
    ///
    /// - Throws: ``Failure``, ``HybridProtocolError``.
    init(_ file: CaptureFile, _ options: CaptureOptions, qr: String?, _ reporter: Reporter) throws {
        self.file = file
        self.options = options
        self.reporter = reporter
        keys = try options.keys(qr: qr)
        hasCode = qr != nil || options.secret != nil
        timeline = CaptureTimeline(keys.tunnelID)
        progress = CaptureProgress(file.byteCount, reporter)
        if let path = options.decrypted {
            guard !file.isSame(as: path), options.keyLog.map({ $0 != path }) ?? true else {
                throw Failure.usage("--decrypted names an input file", hint: "give it a new file")
            }
            output = try DecryptedCapture(path)
        } else {
            output = nil
        }
    }

    /// Reads the file to its end, or to where it cannot be read any further.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    func run() throws {
        if reporter.isJSON {
            reporter.writeJSON(
                Line(
                    recorded: "capture",
                    ["file": file.path, "format": file.formatName, "byte_count": file.byteCount]))
        }
        let analysis = CaptureAnalysis(keys) { [self] in show($0) }
        var fault: Failure?
        do {
            let isWhole = try file.read(progress: { progress.show($0) }, take: { analysis.take($0) })
            if !isWhole { fault = Self.cut(file.path) }
        } catch let error as CaptureError {
            fault = Failure(
                .file, code: error.code.rawValue,
                cause: "\(quoted(file.path)) cannot be read after byte \(error.offset): \(reason: error.reason)",
                hint: "everything before it is shown; the file is damaged there, or malicious")
        } catch let error as Errno {
            fault = Failure(
                .file, code: "input-output", cause: "\(quoted(file.path)) cannot be read: \(error)", hint: Hint.place)
        }
        analysis.finish()
        progress.clear()
        try output?.finish()
        summarize(analysis.counts)
        if let outputFailure { throw outputFailure }
        if let fault { throw fault }
        try judge(analysis.counts)
    }

    private func show(_ event: CaptureEvent) {
        count(event)
        if outputFailure == nil {
            do throws(Failure) { try output?.write(event) } catch { outputFailure = error }
        }
        progress.clear()
        if reporter.isJSON {
            reporter.writeJSON(Line(event, tunnelID: keys.tunnelID))
        } else {
            for line in timeline.lines(event) { reporter.print(line) }
        }
    }

    private func count(_ event: CaptureEvent) {
        switch event.kind {
        case .advert(let advert):
            if advert.service.canBeHybrid(advert.serviceData.count) { counts.adverts += 1 } else { counts.decoys += 1 }
            if case .opened = advert.opening { counts.ofTheCode += 1 }
        case .channelOpened, .tunnelOpened: counts.channels += 1
        case .message: counts.messages += 1
        default: break
        }
    }

    private func summarize(_ found: CaptureAnalysis.Counts) {
        let unread = found.unread.values.reduce(0, +)
        reporter.write(
            Line(
                recorded: "summary",
                [
                    "packets": found.packets, "cut_packets": found.cut, "damaged_packets": found.damaged,
                    "unread_packets": unread, "unknown_channel_frames": found.unknownChannelFrames,
                    "sessions": found.sessions, "sessions_with_keys": found.sessionsWithKeys,
                    "first": seconds(found.firstTime), "last": seconds(found.lastTime),
                ]),
            orPrint: "\(found.packets) packets: \(counts.adverts) hybrid adverts, \(counts.decoys) others beside them, "
                + "\(counts.channels) channels, \(found.sessions) sessions, \(counts.messages) messages")
        if found.unknownChannelFrames > 0 {
            reporter.warn(
                "channel-unknown",
                "\(found.unknownChannelFrames) frames are of channels that were opened before the capture began")
        }
        if found.cut > 0 {
            reporter.warn("packets-cut", "\(found.cut) packets were truncated by the capture: capture all their bytes")
        }
        if found.damaged > 0 {
            reporter.warn(
                "packets-damaged", "\(found.damaged) packets from the air have a wrong checksum, and are left out")
        }
        if hasCode, counts.adverts > 0, counts.ofTheCode == 0 {
            reporter.warn("other-session", "no advert is of this QR code's session")
        }
        if hasCode, options.keyLog == nil, found.sessions > 0 {
            reporter.warn(
                "not-decrypted",
                "a QR code decrypts adverts only: the messages' keys come from ephemeral keys that both ends have "
                    + "deleted; a key log has them (--key-log)")
        }
        if output != nil, found.sessionsWithKeys > 0 {
            reporter.warn(
                "in-the-clear", "\(options.decrypted ?? "") has \(found.sessionsWithKeys) sessions in the clear")
        }
    }

    /// Judges the counts by the options that were given.
    private func judge(_ found: CaptureAnalysis.Counts) throws(Failure) {
        let unread = found.unread.values.reduce(0, +)
        if unread > 0 {
            let types = found.unread.keys.sorted { $0.rawValue < $1.rawValue }.map(\.text).joined(separator: "; ")
            guard unread < found.packets else {
                throw Failure(
                    .file, code: "link-type", cause: "all packets are of an unsupported link type: \(types)",
                    hint: "capture Bluetooth with btmon -w FILE, or the air with a Bluetooth LE sniffer")
            }
            reporter.warn("link-type", "\(unread) packets are of unsupported link types: \(types)")
        }
        if options.keyLog != nil, found.sessionsWithKeys == 0 {
            guard found.sessions > 0 else {
                return reporter.warn("no-session", "the key log opens no session in this capture")
            }
            throw Failure(
                .file, code: "keys-do-not-fit",
                cause: "none of the \(keys.sessionCount) sessions of the key log is in this capture",
                hint: "give the key log that was written while this was captured")
        }
    }

    private static func cut(_ path: String) -> Failure {
        Failure(
            .file, code: "capture-cut", cause: "\(quoted(path)) ends in the middle of a record",
            hint: "the complete records are shown; stop the capturing program normally for a complete file")
    }
}

/// The progress of a capture that takes longer than a second, on a terminal.
struct CaptureProgress {
    private let byteCount: Int
    private let reporter: Reporter
    private let isShown = isatty(STDERR_FILENO) == 1
    private var next = ContinuousClock.now + .seconds(1)
    private var isOnScreen = false

    private static let eraseLine = "\r\u{1B}[K"

    init(_ byteCount: Int, _ reporter: Reporter) {
        self.byteCount = byteCount
        self.reporter = reporter
    }

    /// Shows how much was read, once a second.
    mutating func show(_ offset: Int) {
        guard isShown, byteCount > 0, ContinuousClock.now >= next else { return }
        next = .now + .seconds(1)
        isOnScreen = true
        let percent = min(100, Int(Double(offset) / Double(byteCount) * 100))
        reporter.show("\(Self.eraseLine)\(percent) % of \(byteCount >> 20) MiB")
    }

    /// Makes room for a line.
    mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        reporter.show(Self.eraseLine)
    }
}

/// The messages of a capture as packets for Wireshark: of the link type for PDUs of upper protocols, each with the name
/// of the dissector that it is for.
///
/// A packet is the tags of Wireshark's exported PDUs, then 4 bytes and the contents: the version 1; the direction, 0
/// from the client and 1 from the authenticator; the carrier, 0 tunnel, 1 L2CAP, 2 advert; the kind, 0 a handshake
/// message, 1 a decrypted message, 2 an advert, opened (16 bytes) or as it was received.
final class DecryptedCapture {
    private let file: PrivateFile
    private let path: String
    private var buffer: [UInt8]

    private static let bufferByteCount = 1 << 16
    private static let version: UInt8 = 1
    /// The tag for a dissector's name, its length and `hybrid`, padded to a multiple of 4; and the end of the tags.
    private static let tags: [UInt8] = [0, 12, 0, 8] + Array("hybrid".utf8) + [0, 0] + [0, 0, 0, 0]

    private enum Kind: UInt8 { case handshake = 0, message = 1, advert = 2 }

    /// Makes the file, in the place of an earlier one.
    ///
    /// - Throws: ``Failure``.
    init(_ path: String) throws(Failure) {
        do throws(PrivateFile.Problem) { file = try .replacing(path) } catch { throw Self.failure(path, error) }
        self.path = path
        buffer = PcapngWriter.header(.upperPDU)
    }

    /// Writes the packet of an event, if it has one.
    ///
    /// - Throws: ``Failure``.
    func write(_ event: CaptureEvent) throws(Failure) {
        let time = event.time ?? 0
        switch event.kind {
        case .advert(let advert):
            guard advert.service.canBeHybrid(advert.serviceData.count) else { return }
            var contents = advert.serviceData
            if case .opened(let opened) = advert.opening { contents = opened.plaintext.bytes }
            try write(contents, .advert, isFromClient: false, .advert, time)
        case .message(let message):
            switch message.contents {
            case .handshake(let bytes): try write(bytes, message, .handshake, time)
            case .first(let bytes), .message(let bytes, isTyped: _): try write(bytes, message, .message, time)
            case .sealed: break
            }
        default: break
        }
    }

    /// Writes the rest of the buffer.
    ///
    /// - Throws: ``Failure``.
    func finish() throws(Failure) {
        let bytes = buffer
        buffer = []
        do throws(PrivateFile.Problem) { try file.write(bytes) } catch { throw Self.failure(path, error) }
    }

    private func write(_ bytes: [UInt8], _ message: CapturedMessage, _ kind: Kind, _ time: Int64) throws(Failure) {
        try write(bytes, message.carrier, isFromClient: message.isFromClient, kind, time)
    }

    private func write(
        _ bytes: [UInt8], _ carrier: Carrier, isFromClient: Bool, _ kind: Kind, _ time: Int64
    ) throws(Failure) {
        let head = [Self.version, isFromClient ? 0 : 1, carrier.rawValue, kind.rawValue]
        buffer += PcapngWriter.packet(Self.tags + head + bytes, time: time)
        if buffer.count >= Self.bufferByteCount { try finish() }
    }

    private static func failure(_ path: String, _ problem: PrivateFile.Problem) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(quoted(path)) \(problem)",
            hint: "check the file given with --decrypted")
    }
}
