internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// Faults of the messages of one sender, in their order, and of those that it receives.
struct ChannelFaults: Sendable {
    /// From one message on, receiving fails.
    struct Deafness: Sendable {
        let fromMessage: Int
        let error: DataChannelError
    }

    let ofMessages: [Fault]
    let deafness: Deafness?

    /// The number of messages that can have a fault; the others pass.
    private static let messageCount = 4

    init(_ input: inout FuzzInput) {
        ofMessages = (0..<Self.messageCount).map { _ in Fault(&input) }
        deafness =
            input.number(below: 16) == 15
            ? Deafness(fromMessage: input.number(below: Self.messageCount), error: .drawn(&input)) : nil
    }

    var areNone: Bool { ofMessages.allSatisfy(\.isNone) && deafness == nil }
}

extension DataChannelError {
    private static let codes: [Code] = [
        .unreachable, .connectionLost, .closed, .timeout, .tlsFailed, .upgradeRefused, .gone, .unavailable,
        .tooManyRequests,
        .subprotocolMissing, .redirectRefused, .messageTooLong, .framingViolation,
    ]

    /// Any error that the edge can have.
    static func drawn(_ input: inout FuzzInput) -> Self { Self(input.one(of: codes), reason: "as the input says") }
}

extension RadioError {
    private static let codes: [Code] = [
        .absent, .notPermitted, .advertTooLong, .failed, .poweredOff, .serviceLost, .noInstance,
    ]

    /// Any error that the radio can have.
    static func drawn(_ input: inout FuzzInput) -> Self { Self(input.one(of: codes), reason: "as the input says") }
}
