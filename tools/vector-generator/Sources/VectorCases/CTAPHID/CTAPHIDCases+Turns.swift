internal import CTAP
internal import Conformance

// Conversations with a device: the order of turns, and its actions.

extension CTAPHIDCases {
    private static let (one, two) = (CTAPHIDConversation.first, CTAPHIDConversation.second)
    private static let initialized = LastAction.message(.initialize)
    private static let ping = LastAction.message(.ping)
    private static let getInfo: [UInt8] = [4]

    mutating func addTurns() throws {
        let long = try payload("turns/long", 100)
        try device(
            "busy-receiving", "another channel's message while one is received", rule: "HT-HID-13",
            last: [.error(.channelBusy)], channels: 2
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.send(.ping, long, on: Self.two, only: 0..<1)
        }
        try device(
            "busy-goes-on", "the message that was there first goes on", rule: "HT-HID-13",
            last: [Self.ping, .continuation], channels: 2
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.send(.ping, long, on: Self.two)
            try $0.send(.ping, long, on: Self.one, only: 1..<2)
        }
        try device(
            "busy-processing", "another channel's message while a request is processed", rule: "HT-HID-13",
            last: [.error(.channelBusy)], channels: 2
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.two)
        }
        try device(
            "busy-own", "a message of the channel whose request is processed", rule: "HT-HID-14",
            last: [.error(.channelBusy)]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.ping, [1], on: Self.one)
        }
        try device(
            "idle-again", "an answered request leaves the device to others", rule: "HT-HID-13", last: [.request],
            channels: 2
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            $0.respond(to: 1, [0, 0xA0])
            try $0.send(.cbor, Self.getInfo, on: Self.two)
        }
        for (slug, channel) in [("broadcast", CTAPHIDChannel.broadcast), ("other", Self.two)] {
            try device(
                "initializes-\(slug)-busy", "CTAPHID_INIT of another program while a request is processed",
                rule: "HT-HID-34", last: [Self.initialized], channels: 2
            ) {
                try $0.send(.cbor, Self.getInfo, on: Self.one)
                try $0.initialize(channel)
            }
        }
        try addSettingBack(long)
        try addLocks()
    }

    private mutating func addSettingBack(_ long: [UInt8]) throws {
        try device(
            "drops-message", "CTAPHID_INIT on a channel whose message is received", rule: "HT-HID-19", last: [Self.ping]
        ) {
            try $0.send(.ping, long, on: Self.one, only: 0..<1)
            try $0.initialize(Self.one)
            try $0.send(.ping, long, on: Self.one, only: 1..<2)
            try $0.send(.ping, [1], on: Self.one)
        }
        try device(
            "drops-request", "CTAPHID_INIT on a channel whose request is processed", rule: "HT-HID-19",
            last: [.abandon, Self.initialized]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.initialize(Self.one)
        }
        try device(
            "drops-answer", "the answer to a request that was dropped is not sent", rule: "HT-HID-19",
            last: [.message(.cbor)]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.initialize(Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            $0.respond(to: 1, [0, 0xA1])
            $0.respond(to: 2, [0, 0xA2])
        }
        try device(
            "closed", "no program has the device open any more", rule: "HT-HID-19", last: [.abandon]
        ) {
            try $0.send(.lock, [10], on: Self.one)
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            $0.close()
        }
        try device(
            "closed-unlocked", "a program that has gone holds no lock", rule: "HT-HID-26", last: [Self.ping],
            channels: 2
        ) {
            try $0.send(.lock, [10], on: Self.one)
            $0.close()
            try $0.send(.ping, [1], on: Self.two)
        }
    }

    private mutating func addLocks() throws {
        func locked(_ seconds: UInt8, for milliseconds: Int) -> (inout CTAPHIDConversation) throws -> Void {
            {
                try $0.send(.lock, [seconds], on: Self.one)
                $0.wait(milliseconds)
                try $0.send(.ping, [1], on: Self.two)
            }
        }
        try device(
            "locked", "a message of another channel while one has the lock", rule: "HT-HID-27",
            last: [.error(.channelBusy)], channels: 2, flags: [.boundary],
            locked(10, for: 9_999))
        try device(
            "lock-over", "the lock has ended by itself", rule: "HT-HID-26", last: [Self.ping], channels: 2,
            flags: [.boundary], locked(10, for: 10_000))
        try device(
            "unlocked", "the lock was given back", rule: "HT-HID-26", last: [Self.ping], channels: 2
        ) {
            try $0.send(.lock, [10], on: Self.one)
            try $0.send(.lock, [0], on: Self.one)
            try $0.send(.ping, [1], on: Self.two)
        }
        try device(
            "locked-own", "a message of the channel that has the lock", rule: "HT-HID-27", last: [Self.ping]
        ) {
            try $0.send(.lock, [1], on: Self.one)
            try $0.send(.ping, [1], on: Self.one)
        }
        try device(
            "lock-too-long", "a lock of 11 seconds", rule: "HT-HID-26", last: [.error(.invalidParameter)],
            flags: [.boundary]
        ) { try $0.send(.lock, [11], on: Self.one) }
    }

    mutating func addCommands() throws {
        for (slug, command) in [
            ("message", CTAPHIDCommand.message), ("keep-alive", .keepAlive), ("error", .error),
            ("0", CTAPHIDCommand(rawValue: 0)), ("vendor", CTAPHIDCommand(rawValue: 0x40)),
        ] {
            try device(
                "command-\(slug)", "a command that the device does not have",
                rule: slug == "message" ? "HT-HID-25" : "HT-HID-8",
                last: [.error(.invalidCommand)]
            ) { try $0.send(command, [1], on: Self.one) }
        }
        try device("wink", "CTAPHID_WINK", rule: "HT-HID-28", last: [.wink, .message(.wink)]) {
            try $0.send(.wink, on: Self.one)
        }
        try device("wink-with-payload", "CTAPHID_WINK with a byte", rule: "HT-HID-20", last: [.error(.invalidLength)]) {
            try $0.send(.wink, [1], on: Self.one)
        }
        try device(
            "wink-silent", "CTAPHID_WINK where there is none", rule: "HT-HID-8", last: [.error(.invalidCommand)],
            canWink: false
        ) { try $0.send(.wink, on: Self.one) }
        for (slug, command, count) in [("cbor", CTAPHIDCommand.cbor, 0), ("lock", .lock, 0), ("lock", .lock, 2)] {
            try device(
                "\(slug)-\(count)-bytes", "a message of \(count) bytes for this command", rule: "HT-HID-20",
                last: [.error(.invalidLength)]
            ) { try $0.send(command, [UInt8](repeating: 1, count: count), on: Self.one) }
        }
        try addRequests()
    }

    private mutating func addRequests() throws {
        let long = try payload("commands/request", 300)
        try device("request", "a request in six reports", rule: "HT-HID-3", last: [.request]) {
            try $0.send(.cbor, long, on: Self.one)
        }
        for count in [0, 7_610] {
            let response = try payload("commands/response", count)
            try device(
                "response-\(count)-bytes", "an authenticator's response of \(count) bytes", rule: "HT-HID-24",
                last: [.error(.other)]
            ) {
                try $0.send(.cbor, Self.getInfo, on: Self.one)
                $0.respond(to: 1, response)
            }
        }
        try device(
            "keep-alives", "the authenticator is at work, then waits for the user", rule: "HT-HID-22",
            last: [.message(.keepAlive, 2)]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            for _ in 0..<2 {
                $0.wait(99)
                $0.tick()
                $0.wait(1)
                $0.tick()
            }
            $0.wait(50)
            $0.setStatus(of: 1, .userPresenceNeeded)
            $0.setStatus(of: 1, .userPresenceNeeded)
            $0.wait(100)
            $0.tick()
        }
        try device(
            "status-changes", "the status changes", rule: "HT-HID-23", last: [.message(.keepAlive, 2)]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            $0.setStatus(of: 1, .userPresenceNeeded)
        }
        try device("cancel", "a request is cancelled", rule: "HT-HID-21", last: [.cancel]) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.cancel, on: Self.one)
        }
        try device(
            "cancelled", "a request that was cancelled has its response", rule: "HT-HID-35", last: [.message(.cbor)]
        ) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.cancel, on: Self.one)
            $0.respond(to: 1, [0x2D])
        }
        try device("cancel-twice", "a request is cancelled a second time", rule: "HT-HID-21", last: []) {
            try $0.send(.cbor, Self.getInfo, on: Self.one)
            try $0.send(.cancel, on: Self.one)
            try $0.send(.cancel, on: Self.one)
        }
        for (slug, channel) in [
            ("other", Self.two), ("unknown", CTAPHIDConversation.unknown), ("broadcast", CTAPHIDChannel.broadcast),
        ] {
            try device(
                "cancel-\(slug)", "another channel (\(slug)) cancels", rule: "HT-HID-21", last: [], channels: 2
            ) {
                try $0.send(.cbor, Self.getInfo, on: Self.one)
                try $0.send(.cancel, on: channel)
            }
        }
        try device("cancel-nothing", "there is nothing to be cancelled", rule: "HT-HID-21", last: []) {
            try $0.send(.cancel, on: Self.one)
        }
    }
}
