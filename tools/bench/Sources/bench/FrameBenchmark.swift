internal import CFloor
internal import Cryptography
internal import HybridProtocol
internal import Measuring

/// Sealing and opening of frames, padding and all, against bare GCM of the padded length with a reused context.
func frameBenchmark() throws {
    try check(floor_prepare(), "floor_prepare")
    Allocations.keepMemory()
    for size in sizes {
        Report.title("Frames of a message of \(size.byteCount) bytes against bare EVP GCM, context reused")
        let bench = FrameBenchmark(size)
        Report.line("seal in place", try bench.sealInPlace(), aim: size.aim)
        Report.line("seal into a new frame", try bench.seal())
        Report.line("open", try bench.open(), aim: size.aim)
        let (sealing, opening) = try bench.allocations()
        Report.line("heap allocations of a new frame", sealing, unit: "", atMost: 1, note: "the output")
        Report.line("heap allocations a frame opened", opening, unit: "", atMost: 0, note: "it is opened in place")
    }
}

private struct Size {
    let byteCount: Int
    let framesPerBlock: Int
    let aim: Double?
}

private let sizes = [
    Size(byteCount: 64, framesPerBlock: 4000, aim: nil),
    Size(byteCount: 1024, framesPerBlock: 400, aim: 1.15),
    Size(byteCount: 16 * 1024, framesPerBlock: 16, aim: nil),
]

private struct FrameBenchmark {
    private let size: Size
    private let key = [UInt8](repeating: 7, count: AES256GCM.keyByteCount)
    private let message: [UInt8]

    init(_ size: Size) {
        self.size = size
        message = [UInt8](repeating: 0x5a, count: size.byteCount)
    }

    private var paddedByteCount: Int { Padding.paddedByteCount(size.byteCount) }

    func sealInPlace() throws -> Comparison {
        let overhead = paddedByteCount - size.byteCount + AES256GCM.tagByteCount
        var frame = message
        frame.reserveCapacity(paddedByteCount + AES256GCM.tagByteCount)
        return try sealing { sealer in
            frame = try sealer.seal(frame.take())
            frame.removeLast(overhead)
        }
    }

    func seal() throws -> Comparison {
        try sealing { blackHole(try $0.seal(nil, message.span)) }
    }

    private func sealing(_ ours: (inout FrameSealer) throws -> Void) throws -> Comparison {
        let cipher = FloorCipher(key: key, sealing: true)
        var message = [UInt8](repeating: 0x5a, count: paddedByteCount + AES256GCM.tagByteCount)
        return try Comparison(count: size.framesPerBlock) { stopwatch, count in
            var sealer = try FrameSealer(key: key.span)
            try stopwatch.time {
                for _ in 0..<count { try ours(&sealer) }
            }
        } floor: { stopwatch, count in
            try stopwatch.time {
                for counter in 0..<count { try cipher.seal(&message, paddedByteCount, counter) }
            }
        }
    }

    func open() throws -> Comparison {
        let sealing = FloorCipher(key: key, sealing: true)
        let opening = FloorCipher(key: key, sealing: false)
        return try Comparison(count: size.framesPerBlock) { stopwatch, count in
            var opener = try FrameOpener(key: key.span)
            var frames = try sealedFrames(count)
            try stopwatch.time {
                while let frame = frames.popLast() { blackHole(try opener.open(frame)) }
            }
        } floor: { stopwatch, count in
            var messages = try (0..<count).map { counter in
                var message = [UInt8](repeating: 0x5a, count: paddedByteCount + AES256GCM.tagByteCount)
                try sealing.seal(&message, paddedByteCount, counter)
                return message
            }
            try stopwatch.time {
                for counter in 0..<count { try opening.open(&messages[counter], paddedByteCount, counter) }
            }
        }
    }

    /// The number of allocations for a frame, sealed and opened.
    func allocations() throws -> (sealing: Double, opening: Double) {
        let count = size.framesPerBlock
        var sealer = try FrameSealer(key: key.span)
        var opener = try FrameOpener(key: key.span)
        let sealing = try Allocations.count {
            for _ in 0..<count { blackHole(try sealer.seal(nil, message.span)) }
        }
        var frames = try sealedFrames(count)
        let opening = try Allocations.count {
            while let frame = frames.popLast() { blackHole(try opener.open(frame)) }
        }
        return (Double(sealing) / Double(count), Double(opening) / Double(count))
    }

    /// Frames in the order in which they are taken from the end.
    private func sealedFrames(_ count: Int) throws -> [[UInt8]] {
        var sealer = try FrameSealer(key: key.span)
        return try (0..<count).map { _ in try sealer.seal(message) }.reversed()
    }
}

extension [UInt8] {
    /// Takes the bytes out, so that nobody else has them.
    fileprivate mutating func take() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &self)
        return taken
    }
}

/// A direction of the floor's.
private final class FloorCipher {
    private let context: UnsafeMutableRawPointer?

    init(key: [UInt8], sealing: Bool) { context = floor_cipher_new(key, sealing ? 1 : 0) }

    deinit { floor_cipher_free(context) }

    func seal(_ message: inout [UInt8], _ byteCount: Int, _ counter: Int) throws {
        try check(withNonce(counter) { floor_seal(context, $0, &message, byteCount) }, "floor_seal")
    }

    func open(_ message: inout [UInt8], _ byteCount: Int, _ counter: Int) throws {
        try check(withNonce(counter) { floor_open(context, $0, &message, byteCount) }, "floor_open")
    }

    private func withNonce(_ counter: Int, _ body: (UnsafePointer<UInt8>?) -> Int32) -> Int32 {
        var nonce = AES256GCM.Nonce(repeating: 0)
        nonce[0] = UInt8(truncatingIfNeeded: counter)
        nonce[1] = UInt8(truncatingIfNeeded: counter >> 8)
        return nonce.span.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

/// Takes a value, so that the compiler cannot leave out the code that made it.
@inline(never)
private func blackHole(_: consuming [UInt8]) {}
