/// A connection of two devices: its packets are put together from fragments, and its channels followed.
final class LowEnergyLink {
    /// The channels, by the order in which they were opened.
    private(set) var channels: [CapturedL2CAPChannel] = []
    private let peer: DeviceAddress?
    private var partials: [CapturedPacket.Direction: Partial] = [:]
    private var requests: [Request] = []

    /// The most channels of a link: as many identifiers as each side can give.
    static let maxChannels = 128
    private static let maxRequests = 16
    private static let signallingChannel: UInt16 = 5
    /// The identifiers of channels that are connection-oriented.
    private static let dynamicChannels: ClosedRange<UInt16> = 0x40...0x7F

    private struct Partial {
        var bytes: [UInt8]
        let byteCount: Int
    }

    /// A request that has no answer yet.
    private struct Request {
        let identifier: UInt8
        let direction: CapturedPacket.Direction
        let psm: UInt16
        let cids: [UInt16]
        let offer: L2CAPSignal.Offer
    }

    /// Outcome of a packet.
    enum Outcome {
        case opened(CapturedL2CAPChannel)
        case refused(psm: UInt16, result: UInt16)
        case closed(CapturedL2CAPChannel)
        case sdu([UInt8], CapturedL2CAPChannel, fromInitiator: Bool)
        /// A frame of a channel that was opened before the capture began.
        case unknownChannel
    }

    init(_ peer: DeviceAddress?) { self.peer = peer }

    /// The number of bytes that are held.
    var heldByteCount: Int {
        partials.values.reduce(0) { $0 + $1.bytes.count } + channels.reduce(0) { $0 + $1.heldByteCount }
    }

    /// Forgets incomplete packets and SDUs.
    func drop() {
        partials = [:]
        for channel in channels { channel.drop() }
    }

    /// Takes a fragment.
    ///
    /// - Parameter makeChannel: makes a channel that was opened.
    func take(
        _ fragment: ACLFragment, time: Int64?,
        makeChannel: (CapturedChannel, CapturedPacket.Direction) -> CapturedL2CAPChannel
    ) -> [Outcome] {
        guard let (direction, packet) = join(fragment) else { return [] }
        var reader = ByteReader(packet[...])
        guard let length = reader.littleEndian(UInt16.self), let cid = reader.littleEndian(UInt16.self),
            let contents = reader.take(Int(length))
        else { return [] }
        if cid == Self.signallingChannel {
            return L2CAPSignal.read(contents).flatMap { identifier, signal in
                take(signal, identifier, direction, time: time, makeChannel: makeChannel)
            }
        }
        guard Self.dynamicChannels.contains(cid) else { return [] }
        guard let channel = channel(receiving: cid, direction) else { return [.unknownChannel] }
        let isInitiator = direction == channel.initiatorDirection
        guard let sdu = channel.take(contents, fromInitiator: isInitiator) else { return [] }
        return [.sdu(sdu, channel, fromInitiator: isInitiator)]
    }

    /// Puts a packet together: its first fragment has the length.
    private func join(_ fragment: ACLFragment) -> (CapturedPacket.Direction, [UInt8])? {
        let direction: CapturedPacket.Direction
        if fragment.isStart {
            direction = fragment.startDirection
            var reader = ByteReader(fragment.bytes)
            guard let length = reader.littleEndian(UInt16.self) else { return nil }
            partials[direction] = Partial(bytes: Array(fragment.bytes), byteCount: Int(length) + 4)
        } else {
            // Where the capture does not say which way it went, it continues the incomplete packet.
            guard let known = fragment.direction ?? partials.keys.first, partials[known] != nil else { return nil }
            direction = known
            partials[known]?.bytes += fragment.bytes
        }
        guard let partial = partials[direction], partial.bytes.count >= partial.byteCount else { return nil }
        partials[direction] = nil
        return partial.bytes.count == partial.byteCount ? (direction, partial.bytes) : nil
    }

    private func channel(receiving cid: UInt16, _ direction: CapturedPacket.Direction) -> CapturedL2CAPChannel? {
        channels.last {
            direction == $0.initiatorDirection ? $0.info.acceptor.cid == cid : $0.info.initiator.cid == cid
        }
    }

    private func take(
        _ signal: L2CAPSignal, _ identifier: UInt8, _ direction: CapturedPacket.Direction, time: Int64?,
        makeChannel: (CapturedChannel, CapturedPacket.Direction) -> CapturedL2CAPChannel
    ) -> [Outcome] {
        switch signal {
        case .request(let psm, let cids, let offer):
            if requests.count >= Self.maxRequests { requests.removeFirst() }
            requests.append(
                Request(identifier: identifier, direction: direction, psm: psm, cids: cids, offer: offer))
            return []
        case .response(let cids, let offer, let result):
            guard
                let index = requests.lastIndex(where: { $0.identifier == identifier && $0.direction != direction })
            else { return [] }
            let request = requests.remove(at: index)
            return opened(request, cids, offer, result: result, time: time, makeChannel: makeChannel)
        case .credits(let cid, let count):
            // The identifier is that of the sender's end.
            guard let channel = channels.last(where: { isEnd(cid, of: direction, $0) }) else { return [] }
            if direction == channel.initiatorDirection {
                channel.info.initiator.creditsGranted += Int(count)
            } else {
                channel.info.acceptor.creditsGranted += Int(count)
            }
            return []
        case .disconnection(let receiver, let sender):
            guard let index = channels.lastIndex(where: { isEnd(sender, of: direction, $0) }),
                channel(receiving: receiver, direction) === channels[index]
            else { return [] }
            return [.closed(channels.remove(at: index))]
        }
    }

    /// True if an end of a channel is that of the sender of packets of a direction.
    private func isEnd(_ cid: UInt16, of direction: CapturedPacket.Direction, _ channel: CapturedL2CAPChannel) -> Bool {
        cid == (direction == channel.initiatorDirection ? channel.info.initiator.cid : channel.info.acceptor.cid)
    }

    private func opened(
        _ request: Request, _ cids: [UInt16], _ offer: L2CAPSignal.Offer, result: UInt16, time: Int64?,
        makeChannel: (CapturedChannel, CapturedPacket.Direction) -> CapturedL2CAPChannel
    ) -> [Outcome] {
        let pairs = zip(request.cids, cids).filter { $0.1 != 0 }
        guard !pairs.isEmpty else { return [.refused(psm: request.psm, result: result)] }
        return pairs.flatMap { initiatorCID, acceptorCID in
            var info = CapturedChannel(
                number: 0, psm: request.psm, isOpenedByPeer: request.direction == .received, peer: peer)
            info.initiator = ChannelSide(initiatorCID, request.offer)
            info.acceptor = ChannelSide(acceptorCID, offer)
            info.openedAt = time
            let channel = makeChannel(info, request.direction)
            var outcomes: [Outcome] = []
            if channels.count >= Self.maxChannels { outcomes.append(.closed(channels.removeFirst())) }
            channels.append(channel)
            return outcomes + [.opened(channel)]
        }
    }
}

extension ChannelSide {
    fileprivate init(_ cid: UInt16, _ offer: L2CAPSignal.Offer) {
        self.init()
        self.cid = cid
        mtu = offer.mtu
        mps = offer.mps
        creditsGranted = Int(offer.credits)
    }
}

/// A command of the signalling channel of a Low Energy link that concerns a channel.
///
/// Source: Core Specification volume 3 part A section 4.
enum L2CAPSignal {
    /// The parameters of an end of a channel.
    struct Offer {
        let mtu: UInt16
        let mps: UInt16
        let credits: UInt16
    }

    case request(psm: UInt16, cids: [UInt16], Offer)
    case response(cids: [UInt16], Offer, result: UInt16)
    case credits(cid: UInt16, count: UInt16)
    /// The channel that ends: the end of the receiver of the command, and that of its sender.
    case disconnection(receiver: UInt16, sender: UInt16)

    private enum Code {
        static let disconnection: UInt8 = 0x06
        static let request: UInt8 = 0x14
        static let response: UInt8 = 0x15
        static let credits: UInt8 = 0x16
        static let enhancedRequest: UInt8 = 0x17
        static let enhancedResponse: UInt8 = 0x18
    }

    /// The most channels of an enhanced request.
    private static let maxChannels = 5

    /// Reads the commands of a packet, each with its identifier; others are left out.
    static func read(_ packet: ArraySlice<UInt8>) -> [(identifier: UInt8, L2CAPSignal)] {
        var reader = ByteReader(packet)
        var signals: [(UInt8, L2CAPSignal)] = []
        while let code = reader.byte(), let identifier = reader.byte(), let length = reader.littleEndian(UInt16.self),
            let contents = reader.take(Int(length))
        {
            if let signal = Self.read(code, contents) { signals.append((identifier, signal)) }
        }
        return signals
    }

    private static func read(_ code: UInt8, _ contents: ArraySlice<UInt8>) -> L2CAPSignal? {
        var numbers: [UInt16] = []
        var reader = ByteReader(contents)
        while numbers.count < 5 + maxChannels, let number = reader.littleEndian(UInt16.self) { numbers.append(number) }
        switch (code, numbers.count) {
        case (Code.disconnection, 2...): return .disconnection(receiver: numbers[0], sender: numbers[1])
        case (Code.credits, 2...): return .credits(cid: numbers[0], count: numbers[1])
        case (Code.request, 5...):
            return .request(
                psm: numbers[0], cids: [numbers[1]], Offer(mtu: numbers[2], mps: numbers[3], credits: numbers[4]))
        case (Code.response, 5...):
            return .response(
                cids: [numbers[0]], Offer(mtu: numbers[1], mps: numbers[2], credits: numbers[3]), result: numbers[4])
        case (Code.enhancedRequest, 5...):
            return .request(
                psm: numbers[0], cids: Array(numbers[4...].prefix(maxChannels)),
                Offer(mtu: numbers[1], mps: numbers[2], credits: numbers[3]))
        case (Code.enhancedResponse, 4...):
            return .response(
                cids: Array(numbers[4...].prefix(maxChannels)),
                Offer(mtu: numbers[0], mps: numbers[1], credits: numbers[2]), result: numbers[3])
        default: return nil
        }
    }
}
