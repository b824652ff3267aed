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
