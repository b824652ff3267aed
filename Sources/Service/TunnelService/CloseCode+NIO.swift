import HybridProtocol
import NIOCore
import NIOWebSocket
import TunnelClient

extension CloseCode {
    /// The code for an error in the pipeline; nil if the error is not in the peer's framing.
    init?(framing error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: self = .messageTooBig
        case is NIOWebSocketError: self = .protocolError
        default: return nil
        }
    }

    /// A Close frame with this code and no reason.
    var frame: ByteBuffer { ByteBuffer(frame: .connectionClose, ByteBuffer(integer: rawValue)) }
}
