internal import Cryptography
internal import HybridProtocol

extension FuzzTarget {
    static let frames = FuzzTarget(
        "frames", "sealing and opening, with frames lost, repeated, altered, and of any padding"
    ) { input in
        let key = [UInt8](repeating: 7, count: AES256GCM.keyByteCount)
        let construction: TransportConstruction = input.bool() ? .current : .old
        let counter = input.bool() ? UInt32(1 << 24) - UInt32(1 + input.number(below: 4)) : 0
        var sealer = try FrameSealer(key: key.span, construction: construction, startingAt: counter)
        var bare = try FrameSealer(key: key.span, construction: construction, startingAt: counter)
        var opener = try FrameOpener(key: key.span, construction: construction, startingAt: counter)
        var last: [UInt8] = []
        while !input.isEmpty {
            let isBare = input.bool()
            let message = input.counted(atMost: 255)
            var padded = message
            let isPadded = !isBare || (try? Padding.unpad(&padded)) != nil
            var frame = message
            do {
                // One counter for both, so that either may send the next frame.
                let sealed = try sealer.seal(message)
                if isBare { frame = try bare.seal(padded: message) } else { try bare.skip(&frame, sealed) }
            } catch let error as HybridProtocolError {
                expect(error.code == .counterExhausted, "sealing fails with \(error)")
                return
            }
            var damaged = frame
            switch input.number(below: 4) {
            case 0 where input.alter(&damaged): refused(&opener, damaged)
            case 1 where !last.isEmpty && last != frame: refused(&opener, last)
            default: break
            }
            // A refused frame has not moved the counter.
            let opened = try? opener.open(frame)
            expect(opened == (isPadded ? padded : nil), "a frame opens to something else")
            guard isPadded else { return }
            last = frame
        }
    }

    private static func refused(_ opener: inout FrameOpener, _ frame: [UInt8]) {
        do throws(HybridProtocolError) {
            _ = try opener.open(frame)
            finding("a frame opens that was not sent")
        } catch {
            expect([.badTag, .tooShort, .tooLong].contains(error.code), "a damaged frame is refused with \(error)")
        }
    }
}

extension FrameSealer {
    /// Seals nothing of use, so that the counter is where it is after another sealer's frame, and takes that frame.
    fileprivate mutating func skip(_ message: inout [UInt8], _ frame: [UInt8]) throws {
        _ = try seal([])
        message = frame
    }
}
