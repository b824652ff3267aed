internal import HybridProtocol

extension FuzzTarget {
    static let assembler = FuzzTarget("assembler", "messages in pieces, as L2CAP brings them") { input in
        guard input.bool() else { return try anything(&input) }
        // Frames of usual lengths, terminated or not; cut anywhere, but for a piece's end where there is no terminator.
        let frames = (0..<1 + input.number(below: 5)).map { _ -> [UInt8] in
            let blocks = 1 + input.number(below: 3)
            let fill = input.bytes(1 + input.number(below: 8))
            let count = blocks * Padding.blockByteCount + 16
            return (0..<count).map { fill[$0 % fill.count] }
        }
        var assembler = MessageAssembler(piecesAreMessages: false)
        var arrived: [[UInt8]] = []
        for frame in frames {
            let isTerminated = input.bool()
            let wire = isTerminated ? MessageAssembler.terminated(frame) : frame
            var start = 0
            while start < wire.count {
                let end = min(wire.count, start + 1 + input.number(below: 128))
                try assembler.append(Array(wire[start..<end]))
                start = end
                while let found = try next(&assembler, frames, arrived.count) { arrived.append(found) }
            }
        }
        expect(arrived == frames, "\(arrived.count) of \(frames.count) messages arrived")
        expect(assembler.isBetweenMessages, "something is left behind the last message")
    }

    private static func next(
        _ assembler: inout MessageAssembler, _ frames: [[UInt8]], _ number: Int
    ) throws(HybridProtocolError) -> [UInt8]? {
        try assembler.next { (frame, _) in number < frames.count && frame == frames[number] ? frame : nil }
    }

    private static func anything(_ input: inout FuzzInput) throws {
        let isWhole = input.bool()
        var assembler = MessageAssembler(piecesAreMessages: isWhole)
        while !input.isEmpty {
            do throws(HybridProtocolError) {
                switch input.number(below: 4) {
                case 0: _ = assembler.nextHandshakeMessage()
                case 1:
                    _ = try assembler.next(where: { $0 > 3 }) { (frame, isWhole) in
                        frame.first == frame.last || isWhole ? frame : nil
                    }
                case 2: try assembler.append(input.counted(atMost: 255) + [0x0d], mayEnd: false)
                default: try assembler.append(input.counted(atMost: 255) + [0x0a])
                }
            } catch {
                expect([.tooLong, .noEnd].contains(error.code), "an assembler throws \(error)")
                return
            }
        }
    }
}
