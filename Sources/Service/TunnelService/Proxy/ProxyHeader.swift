import NIOCore

/// The header of the PROXY protocol, version 2, by which a proxy says whose connection it passes on.
///
/// Source: the specification at haproxy.org, "The PROXY protocol, Versions 1 & 2", section 2.2. It is read strictly:
/// version 1, datagrams, Unix sockets, unspecified families, a length beyond ``maximumByteCount``, fields that do not
/// fill it and a wrong checksum are refused.
struct ProxyHeader: Sendable, Equatable {
    /// The subject of a header.
    enum Source: Sendable, Equatable {
        /// The proxy itself has opened the connection, to see whether the service lives (`LOCAL`).
        case proxy
        /// A peer at this address and port (`PROXY`).
        case peer(IPAddress, port: UInt16)
    }

    /// The peer, or the proxy itself.
    let source: Source
    /// The length of the whole header, 16…``maximumByteCount`` bytes.
    let byteCount: Int

    /// The longest header that is read, bytes: addresses, and more for a proxy's further fields than those in use need.
    static let maximumByteCount = 1_024
    /// `\r\n\r\n\0\r\nQUIT\n`: no line of HTTP begins with it, and no record of TLS.
    static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    /// The bytes before the addresses: signature, version and command, family, length.
    static let fixedByteCount = 16

    private static let localCommand: UInt8 = 0x20
    private static let proxyCommand: UInt8 = 0x21
    private static let tcpOverV4: UInt8 = 0x11
    private static let tcpOverV6: UInt8 = 0x21
    private static let portByteCount = 2
    private static let fieldHeadByteCount = 3
    private static let checksumType: UInt8 = 0x03

    /// Reads the header that these bytes begin with.
    ///
    /// - Parameter bytes: the bytes of a connection so far, or the first ``maximumByteCount`` of them.
    /// - Returns: `nil` if it may become a header when more bytes have come.
    /// - Throws: ``ProxyHeaderError`` as soon as no bytes behind these can make a header of them.
    static func read(_ bytes: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
        guard zip(bytes, signature).allSatisfy({ $0 == $1 }) else { throw .noSignature }
        guard bytes.count >= fixedByteCount else { return nil }
        let (command, family) = (bytes[signature.count], bytes[signature.count + 1])
        guard command == localCommand || command == proxyCommand else { throw .unknownCommand }
        let length = integer(bytes[(fixedByteCount - 2)..<fixedByteCount])
        let byteCount = fixedByteCount + length
        guard byteCount <= maximumByteCount else { throw .tooLong }
        // The addresses in a header of the proxy's own do not count, but it must be as long as it says.
        let addresses = command == localCommand ? 0 : try addressByteCount(family)
        guard length >= addresses else { throw .tooShort }
        guard bytes.count >= byteCount else { return nil }
        let header = Array(bytes[..<byteCount])
        guard command == proxyCommand else { return ProxyHeader(source: .proxy, byteCount: byteCount) }
        try checkFields(of: header, from: fixedByteCount + addresses)
        let address = header[fixedByteCount...].prefix((addresses - 2 * portByteCount) / 2)
        let port = header[(fixedByteCount + addresses - 2 * portByteCount)...].prefix(portByteCount)
        guard let address = IPAddress(bytes: address) else { throw .tooShort }
        return ProxyHeader(
            source: .peer(address, port: UInt16(truncatingIfNeeded: integer(port))), byteCount: byteCount)
    }

    /// The length of both addresses and both ports.
    private static func addressByteCount(_ family: UInt8) throws(ProxyHeaderError) -> Int {
        switch family {
        case tcpOverV4: 2 * (IPAddress.v4ByteCount + portByteCount)
        case tcpOverV6: 2 * (IPAddress.v6ByteCount + portByteCount)
        default: throw .unknownFamily
        }
    }

    /// Checks that the further fields fill the header, and that a checksum among them is right.
    private static func checkFields(of header: [UInt8], from start: Int) throws(ProxyHeaderError) {
        var position = start
        while position < header.count {
            guard header.count - position >= fieldHeadByteCount else { throw .malformedField }
            let content = position + fieldHeadByteCount
            let length = integer(header[(position + 1)..<content])
            guard header.count - content >= length else { throw .malformedField }
            if header[position] == checksumType { try checkChecksum(of: header, in: content..<(content + length)) }
            position = content + length
        }
    }

    /// The checksum covers the whole header, with zeros in the place of itself.
    private static func checkChecksum(of header: [UInt8], in range: Range<Int>) throws(ProxyHeaderError) {
        guard range.count == CRC32C.byteCount else { throw .malformedField }
        var covered = header
        covered.replaceSubrange(range, with: repeatElement(0, count: range.count))
        guard CRC32C.checksum(of: covered) == UInt32(truncatingIfNeeded: integer(header[range])) else {
            throw .wrongChecksum
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << UInt8.bitWidth | Int($1) }
    }
}

/// A reason for which bytes are not a header of the PROXY protocol.
enum ProxyHeaderError: Error, Sendable, Equatable, CaseIterable {
    /// They do not begin with the signature.
    case noSignature
    /// Another version, or another command than `LOCAL` and `PROXY`.
    case unknownCommand
    /// Another family or transport than TCP over IPv4 or IPv6.
    case unknownFamily
    /// The length does not hold the addresses.
    case tooShort
    /// The header is longer than ``ProxyHeader/maximumByteCount``.
    case tooLong
    /// The further fields do not fill the length, or one is not as long as its type wants.
    case malformedField
    /// The checksum is wrong.
    case wrongChecksum
}

/// The checksum CRC-32C (RFC 3720 appendix B.4).
enum CRC32C {
    /// The length of a checksum, bytes.
    static let byteCount = 4

    private static let reversedPolynomial: UInt32 = 0x82F6_3B78

    /// The checksum of some bytes.
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { checksum, byte in
            (0..<UInt8.bitWidth).reduce(checksum ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ reversedPolynomial : value >> 1
            }
        }
    }
}

/// The handler of a connection from a trusted proxy until its header is read, next to the wire.
///
/// Nothing behind it sees a byte before that, and no byte of the header. A connection that begins with anything else is
/// closed. The time for the header is part of the request's.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let relay: Relay
    private let connection: ConnectionHandler
    private let request: RequestHandler
    private var received = ByteBuffer()
    private var isOver = false

    /// Makes a handler for a connection that is counted without an address.
    init(relay: Relay, connection: ConnectionHandler, request: RequestHandler) {
        self.relay = relay
        self.connection = connection
        self.request = request
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        do throws(ProxyHeaderError) {
            let beginning = Array(received.readableBytesView.prefix(ProxyHeader.maximumByteCount))
            guard let header = try ProxyHeader.read(beginning) else { return }
            received.moveReaderIndex(forwardBy: header.byteCount)
            admit(header.source, context)
        } catch {
            close(context)
        }
    }

    private func admit(_ source: ProxyHeader.Source, _ context: ChannelHandlerContext) {
        let address =
            switch source {
            case .proxy: AddressKey(context.channel.remoteAddress)
            case .peer(let address, _): AddressKey(ip: address)
            }
        switch connection.identify(address) {
        case .served: break
        case .refused(let refusal): request.refusal = refusal
        case .crowded, .dropped: return close(context)
        }
        isOver = true
        if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
        received.clear()
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func close(_ context: ChannelHandlerContext) {
        isOver = true
        relay.metrics.connectionDropped()
        context.close(promise: nil)
    }
}
