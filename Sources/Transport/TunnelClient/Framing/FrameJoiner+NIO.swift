package import HybridProtocol
import NIOCore
package import NIOWebSocket

extension FrameJoiner<ByteBufferView> {
    /// Takes the next frame of a WebSocket, as its decoder gives it.
    package mutating func join(_ frame: WebSocketFrame) throws(FramingViolation) -> Event {
        try join(
            Frame(
                opcode: UInt8(webSocketOpcode: frame.opcode), isFinal: frame.fin, isMasked: frame.maskKey != nil,
                usesReservedBits: frame.rsv1 || frame.rsv2 || frame.rsv3,
                payload: frame.unmaskedData.readableBytesView))
    }
}
