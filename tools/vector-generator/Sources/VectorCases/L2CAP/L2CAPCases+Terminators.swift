// Frames that hold a terminator, or a half of one, by chance: a reader that cuts at the first 0D 0A breaks them.

extension L2CAPCases {
    /// A place of the terminator in a frame.
    private enum Place: String, CaseIterable {
        case inside
        case first
        case last
        case firstHalf = "half-first"
        case lastHalf = "half-last"

        func isIn(_ frame: [UInt8]) -> Bool {
            let (terminator, byteCount) = (L2CAPCases.terminator, L2CAPCases.terminator.count)
            switch self {
            case .inside: return frame.dropFirst(byteCount).dropLast(byteCount).contains(terminator)
            case .first: return frame.starts(with: terminator)
            case .last: return frame.suffix(byteCount) == terminator[...]
            case .firstHalf: return frame.first == terminator.last
            case .lastHalf: return frame.last == terminator.first
            }
        }
    }

    mutating func addTerminatorsInside() throws {
        for place in Place.allCases {
            let sent = try (0..<2).map { try send($0, with: place) }
            let (slug, messages) = (place.rawValue, sent.messages)
            let about = "both frames have 0D 0A, or a half of it, in this place: \(slug)"
            try receive(
                "\(slug)-terminated", "\(about); terminated", rule: Rule.inside, pieces: sent.terminatedFrames,
                finding: messages)
            try receive(
                "\(slug)-bare", "\(about); bare", rule: Rule.inside, pieces: sent.frames, finding: messages)
            try receive(
                "\(slug)-stream", "\(about); one piece", rule: Rule.inside, pieces: [sent.stream], finding: messages)
            try receive(
                "\(slug)-bytes", "\(about); pieces of one byte", rule: Rule.inside,
                pieces: sent.stream.pieces(of: 1), finding: messages)
        }
    }

    /// The first message of a row whose frame is as wanted; of the rarest kind, one in 65,536 is.
    private func send(_ counter: Int, with place: Place) throws -> Sent {
        var number = 0
        while true {
            let sent = try send(counter, "\(counter)/\(number)")
            if place.isIn(sent.frame) { return sent }
            number += 1
        }
    }
}
