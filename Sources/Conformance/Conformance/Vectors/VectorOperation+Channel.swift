internal import Encodings
internal import HybridProtocol

// Messages on an L2CAP channel (the article L2CAP of HybridProtocol).

extension VectorOperation {
    static let l2cap = [
        VectorOperation("l2cap.split", "l2cap") { input in
            // A stream without pieces, in which whatever stands before a terminator is a message.
            var assembler = MessageAssembler(piecesAreMessages: false)
            let buffer = try input.bytes("buffer")
            try assembler.append(buffer, mayEnd: false)
            var messages: [JSONValue] = []
            while let message = try assembler.next(where: { _ in true }, { (bytes, _) in bytes }) {
                messages.append(.hex(message))
            }
            return ["messages": .array(messages), "rest": .hex(assembler.rest)]
        },
        VectorOperation("l2cap.receive", "l2cap") { input in
            var assembler = MessageAssembler(piecesAreMessages: false)
            let key = try input.bytes("key")
            var opener = try FrameOpener(key: key.span)
            var handshakesLeft: Int = try input.integer("handshake_messages")
            var messages: [JSONValue] = []
            for piece in try input.byteStrings("pieces") {
                try assembler.append(piece)
                if handshakesLeft > 0 {
                    guard let message = assembler.nextHandshakeMessage() else { continue }
                    handshakesLeft -= 1
                    messages.append(.hex(message))
                }
                while let message = try assembler.next({ (bytes, _) throws(HybridProtocolError) in
                    try opener.openIfFrame(bytes)
                }) {
                    messages.append(.hex(message))
                }
            }
            return [
                "messages": .array(messages), "rest": .hex(assembler.isBetweenMessages ? [] : assembler.rest),
            ]
        },
    ]
}
