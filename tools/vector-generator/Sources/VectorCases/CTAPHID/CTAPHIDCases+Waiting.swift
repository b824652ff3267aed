internal import CTAP
internal import Conformance

// Conversations with a device that lets requests of other channels wait (HT-HID-36).

extension CTAPHIDCases {
    private static let rule = "HT-HID-36"
    private static let (one, two) = (CTAPHIDConversation.first, CTAPHIDConversation.second)
    private static let three = CTAPHIDChannel(rawValue: 3)
    private static let getInfo: [UInt8] = [4]

    mutating func addWaiting() throws {
        try waiting("another channel's request waits, with keep-alives", "waits", [.message(.keepAlive, 1)]) {
            $0.wait(50)
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            $0.setStatus(of: 1, .userPresenceNeeded)
            $0.wait(100)
            $0.tick()
            // The two do not have theirs at the same time.
            $0.wait(30)
            $0.setStatus(of: 1, .processing)
            $0.wait(70)
            $0.tick()
        }
        try waiting(
            "the next request is processed when the one before is answered", "next", [.message(.cbor), .request]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cbor, [0x0B], on: Self.three)
            $0.respond(to: 1, [0, 0xA1])
            $0.respond(to: 2, [0, 0xA2])
        }
        let long = try payload("waiting/long", 100)
        try waiting("a request in several reports waits", "long", [.message(.cbor), .request]) {
            try $0.send(.cbor, long, on: Self.two)
            $0.respond(to: 1, [0, 0xA1])
        }
        try waiting("a request comes while the one before is answered", "answered-meanwhile", [.request]) {
            try $0.send(.cbor, long, on: Self.two, only: 0..<1)
            $0.respond(to: 1, [0, 0xA1])
            try $0.send(.cbor, long, on: Self.two, only: 1..<2)
        }
        try waiting(
            "the rest of a request does not come while another is processed", "timeout",
            [.error(.messageTimeout), .message(.keepAlive, 1)]
        ) {
            try $0.send(.cbor, long, on: Self.two, only: 0..<1)
            $0.wait(500)
            $0.tick()
        }
        try addWaitingRefusals(long)
        try addWaitingEnds()
    }

    /// Adds messages that are refused without waiting.
    private mutating func addWaitingRefusals(_ long: [UInt8]) throws {
        try waiting("more requests than may wait", "too-many", [.error(.channelBusy)], max: 1) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cbor, Self.getInfo, on: Self.three)
        }
        try waiting("a second request of a channel whose request waits", "own", [.error(.channelBusy)]) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cbor, Self.getInfo, on: Self.two)
        }
        let others: [(String, CTAPHIDCommand, [UInt8])] = [
            ("ping", .ping, [1]), ("wink", .wink, []), ("lock", .lock, [1]), ("message", .message, [1]),
        ]
        for (slug, command, payload) in others {
            try waiting("another command (\(slug)) does not wait", slug, [.error(.channelBusy)]) {
                try $0.send(command, payload, on: Self.two)
            }
        }
        try waiting("a request begins while another one comes", "receiving", [.error(.channelBusy)]) {
            try $0.send(.cbor, long, on: Self.two, only: 0..<1)
            try $0.send(.cbor, Self.getInfo, on: Self.three)
        }
        try device(
            "waiting-locked", "a request of another channel while one has the lock", rule: Self.rule,
            last: [.error(.channelBusy)], channels: 2, maxWaitingCount: 2, flags: [.optional]
        ) {
            try $0.send(.lock, [10], on: Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.two)
        }
    }

    /// Requests that end before it is their turn, and the messages after one that was dropped.
    private mutating func addWaitingEnds() throws {
        try waiting("a request that waits is cancelled", "cancelled", [.message(.cbor)]) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cancel, on: Self.two)
        }
        try waiting(
            "the others go on when one that waits is cancelled", "cancelled-others", [.message(.cbor), .request]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cbor, [0x0B], on: Self.three)
            try $0.send(.cancel, on: Self.two)
            $0.respond(to: 1, [0, 0xA1])
        }
        try waiting("CTAPHID_INIT on a channel whose request waits", "dropped", [.message(.cbor)]) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.initialize(Self.two)
            $0.respond(to: 1, [0, 0xA1])
        }
        try waiting("the next request waits for the answer to one that was dropped", "after-dropped", [.request]) {
            try $0.initialize(Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            try $0.send(.cbor, [0x0B], on: Self.one)
            $0.respond(to: 1, [0x2D])
        }
        try waiting(
            "a ping while the authenticator has not answered a request that was dropped", "ping-after-dropped",
            [.message(.ping)]
        ) {
            try $0.initialize(Self.one)
            try $0.send(.ping, [1], on: Self.two)
        }
        try waiting("no program has the device open any more", "closed", [.abandon]) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            $0.close()
        }
        try waiting("a request that waited for one of a program that has gone", "after-closed", [.request]) {
            try $0.send(.cbor, Self.getInfo, on: Self.two)
            $0.close()
            try $0.send(.cbor, [0x0B], on: Self.three)
            $0.respond(to: 1, [0x2D])
        }
    }

    /// Adds a conversation of three channels that begins with a request of the first.
    private mutating func waiting(
        _ comment: String, _ slug: String, _ last: [LastAction], max: Int = 2,
        _ build: (inout CTAPHIDConversation) throws -> Void
    ) throws {
        try device(
            "waiting-\(slug)", comment, rule: Self.rule, last: last, channels: 3, maxWaitingCount: max,
            flags: [.optional]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try build(&$0)
        }
    }
}
