import Testing

@testable import CTAP

@Suite("A security key") struct CTAPHIDDeviceTests {
    @Test("allocates channels in turn, and tells what it is (HT-HID-9, HT-HID-11)")
    func channels() throws {
        var key = Conversation()
        let answer = try key.call(.initialize, Conversation.nonce, on: .broadcast)
        #expect(answer == .response(Conversation.nonce + [0, 0, 0, 1, 2, 5, 4, 3, 0x0D]))
        #expect(try key.open().rawValue == 2)
        var silent = Conversation(canWink: false)
        let other = try silent.call(.initialize, Conversation.nonce, on: .broadcast)
        #expect(other == .response(Conversation.nonce + [0, 0, 0, 1, 2, 5, 4, 3, 0x0C]))
    }

    @Test("allocates neither 0 nor the broadcast channel, and nobody's who is at work (HT-HID-2, HT-HID-11)")
    func around() throws {
        var key = Conversation(lastChannel: .max - 2)
        let last = try key.open()
        #expect(last.rawValue == UInt32.max - 1)
        let first = try key.open()
        #expect(first.rawValue == 1)
        // Now the numbers come again: all have been given out.
        #expect(try key.call(.ping, [7], on: CTAPHIDChannel(rawValue: 0x8000_0000)) == .response([7]))
        #expect(try key.call(.ping, [], on: .reserved) == .refused(.invalidChannel))
        #expect(try key.call(.ping, [], on: .broadcast) == .refused(.invalidChannel))
        let second = CTAPHIDChannel(rawValue: 2)
        #expect(try key.call(.lock, [10], on: second) == .response([]))
        let fourth = CTAPHIDChannel(rawValue: 4)
        _ = try key.open()
        #expect(key.send(.cbor, [4], on: fourth) == Conversation.refusal(.channelBusy, on: fourth))
        #expect(try key.call(.lock, [0], on: second) == .response([]))
        _ = try key.request(on: fourth)
        #expect(try key.open().rawValue == 5)
    }

    @Test("passes over channels that are in use when the numbers come again")
    func inUse() throws {
        var key = Conversation(lastChannel: .max - 1)
        #expect(try key.open().rawValue == 1)
        let (second, third) = (CTAPHIDChannel(rawValue: 2), CTAPHIDChannel(rawValue: 3))
        #expect(try key.call(.lock, [10], on: second) == .response([]))
        _ = try key.request(on: second)
        #expect(try key.open() == third)
        var receiving = Conversation(lastChannel: .max - 1)
        #expect(try receiving.open().rawValue == 1)
        #expect(receiving.receive(CTAPHIDMessage(second, .ping, pattern(58)).reports[0]) == [])
        #expect(try receiving.open() == third)
    }

    @Test("a flood of programs costs it nothing, and nobody a channel (HT-HID-12)")
    func flood() throws {
        var key = Conversation()
        let first = try key.open()
        let request = try key.request(on: first)
        for _ in 0..<10_000 { _ = key.send(.initialize, Conversation.nonce, on: .broadcast) }
        #expect(key.device.answer(request.id, with: [0], at: .zero) == Conversation.sent(.cbor, [0], on: first))
        #expect(try key.call(.ping, [1], on: first) == .response([1]))
    }

    @Test(
        "returns pings of every length (HT-HID-3 to HT-HID-5)",
        arguments: [0, 1, 56, 57, 58, 115, 116, 117, 7_608, 7_609])
    func pings(count: Int) throws {
        var key = Conversation()
        let channel = try key.open()
        #expect(try key.call(.ping, pattern(count), on: channel) == .response(pattern(count)))
        #expect(key.device.heldByteCount == 0)
        #expect(key.device.deadline == nil)
    }

    @Test("refuses what is too long, and is idle then (HT-HID-5)")
    func tooLong() throws {
        var key = Conversation()
        let channel = try key.open()
        // As many packets as have numbers.
        let reports = CTAPHIDMessage(channel, .ping, pattern(7_610)).reports.prefix(129)
        #expect(reports.flatMap { key.receive($0) } == Conversation.refusal(.invalidLength, on: channel))
        #expect(key.device.deadline == nil)
    }

    @Test("judges from the outside in")
    func order() throws {
        var key = Conversation(canWink: false)
        let channel = try key.open()
        let refusals: [(CTAPHIDCommand, [UInt8], CTAPHIDErrorCode)] = [
            (.message, [0], .invalidCommand), (.wink, [], .invalidCommand), (.keepAlive, [1], .invalidCommand),
            (.error, [1], .invalidCommand), (CTAPHIDCommand(rawValue: 0x40), pattern(200), .invalidCommand),
            (.cbor, [], .invalidLength), (.lock, [], .invalidLength), (.lock, [1, 2], .invalidLength),
            (.lock, [11], .invalidParameter), (.initialize, pattern(7), .invalidLength),
            (.initialize, pattern(9), .invalidLength),
        ]
        for (command, payload, code) in refusals {
            #expect(key.send(command, payload, on: channel) == Conversation.refusal(code, on: channel))
            #expect(key.device.deadline == nil)
        }
        let foreign = CTAPHIDChannel(rawValue: 77)
        #expect(key.send(.message, [0], on: foreign) == Conversation.refusal(.invalidChannel, on: foreign))
        #expect(key.send(.initialize, pattern(8), on: foreign) == Conversation.refusal(.invalidChannel, on: foreign))
        #expect(key.send(.initialize, [], on: .broadcast) == Conversation.refusal(.invalidLength, on: .broadcast))
    }

    @Test("ignores reports that are none (HT-HID-1)", arguments: [0, 1, 4, 7, 63, 65, 128])
    func reports(count: Int) throws {
        var key = Conversation()
        #expect(key.receive([UInt8](repeating: 0xFF, count: count)) == [])
    }

    @Test("winks, and says so (HT-HID-20, HT-HID-28)")
    func wink() throws {
        var key = Conversation()
        let channel = try key.open()
        #expect(key.send(.wink, on: channel) == [.wink] + Conversation.sent(.wink, on: channel))
        #expect(key.send(.wink, [1], on: channel) == Conversation.refusal(.invalidLength, on: channel))
    }

    @Test("gives up what does not come, and what comes wrongly (HT-HID-15, HT-HID-16, HT-HID-17)")
    func sequence() throws {
        var key = Conversation()
        let channel = try key.open()
        let reports = CTAPHIDMessage(channel, .ping, pattern(200)).reports
        #expect(key.receive(reports[1]) == [])
        #expect(key.receive(reports[0]) == [])
        #expect(key.device.heldByteCount == 57)
        #expect(key.wait(499) == [])
        #expect(key.receive(reports[1]) == [])
        #expect(key.wait(499) == [])
        #expect(key.device.deadline == .milliseconds(499 + 500))
        #expect(key.wait(1) == Conversation.refusal(.messageTimeout, on: channel))
        #expect(key.receive(reports[2]) == [])
        for wrong in [reports[2], reports[0], CTAPHIDMessage(channel, .cbor, [4]).reports[0]] {
            #expect(key.receive(reports[0]) == [])
            #expect(key.receive(wrong) == Conversation.refusal(.invalidSequence, on: channel))
            #expect(key.device.deadline == nil)
            #expect(key.receive(reports[1]) == [])
        }
        // A late report is judged by when it comes.
        #expect(key.receive(reports[0]) == [])
        #expect(key.device.receive(reports[1], at: .seconds(9)) == Conversation.refusal(.messageTimeout, on: channel))
    }

    @Test("serves one channel at a time (HT-HID-13, HT-HID-14, HT-HID-34)")
    func busy() throws {
        var key = Conversation()
        let (one, two) = (try key.open(), try key.open())
        let reports = CTAPHIDMessage(one, .cbor, pattern(100)).reports
        #expect(key.receive(reports[0]) == [])
        #expect(key.send(.ping, pattern(100), on: two) == Conversation.refusal(.channelBusy, on: two))
        #expect(try key.call(.initialize, Conversation.nonce, on: two) != .refused(.channelBusy))
        let three = try key.open()
        let actions = key.receive(reports[1])
        guard case .process(let request)? = actions.first else { throw CTAPHIDError(.tooShort, reason: "\(actions)") }
        #expect(request.channel == one)
        #expect(request.payload == pattern(100))
        for channel in [one, two, three] {
            #expect(key.send(.cbor, [4], on: channel) == Conversation.refusal(.channelBusy, on: channel))
        }
        #expect(key.device.answer(request.id + 1, with: [0], at: .zero) == [])
        #expect(key.device.answer(request.id, with: [0, 1], at: .zero) == Conversation.sent(.cbor, [0, 1], on: one))
        #expect(key.device.answer(request.id, with: [0, 1], at: .zero) == [])
        #expect(try key.request(on: two).id == request.id + 1)
    }

    @Test("keeps the host waiting, and says for what (HT-HID-22, HT-HID-23)")
    func keepAlives() throws {
        var key = Conversation()
        let channel = try key.open()
        let id = try key.request(on: channel).id
        #expect(key.wait(99) == [])
        #expect(key.wait(1) == Conversation.keepAlive(.processing, on: channel))
        #expect(key.wait(50) == [])
        let change = key.device.setStatus(.userPresenceNeeded, of: id, at: .milliseconds(150))
        #expect(change == Conversation.keepAlive(.userPresenceNeeded, on: channel))
        #expect(key.device.setStatus(.userPresenceNeeded, of: id, at: .milliseconds(160)) == [])
        #expect(key.device.setStatus(.processing, of: id + 1, at: .milliseconds(160)) == [])
        #expect(key.device.deadline == .milliseconds(250))
        // However late the caller is, one is enough.
        #expect(key.wait(1_000) == Conversation.keepAlive(.userPresenceNeeded, on: channel))
        #expect(key.device.deadline == .milliseconds(1_250))
        // A clock that goes back changes nothing.
        #expect(key.device.advance(to: .zero) == [])
        #expect(key.device.deadline == .milliseconds(1_250))
    }

    @Test("cancels what is processed, once, without an answer of its own (HT-HID-21, HT-HID-35)")
    func cancel() throws {
        var key = Conversation()
        let (one, two) = (try key.open(), try key.open())
        for channel in [one, two, .broadcast, CTAPHIDChannel(rawValue: 9)] {
            #expect(key.send(.cancel, on: channel) == [])
        }
        let id = try key.request(on: one).id
        #expect(key.send(.cancel, on: two) == [])
        #expect(key.send(.cancel, [1], on: one) == [.cancel(id)])
        #expect(key.send(.cancel, on: one) == [])
        #expect(key.send(.ping, on: one) == Conversation.refusal(.channelBusy, on: one))
        #expect(key.wait(100) == Conversation.keepAlive(.processing, on: one))
        #expect(key.device.answer(id, with: [0x2D], at: .zero) == Conversation.sent(.cbor, [0x2D], on: one))
    }

    @Test("begins anew with CTAPHID_INIT (HT-HID-18, HT-HID-19)")
    func setBack() throws {
        var key = Conversation()
        let channel = try key.open()
        let answer = CTAPHIDInitialization(
            nonce: Conversation.nonce, channel: channel, version: Conversation.version,
            capabilities: [.wink, .cbor, .noMessage])
        let initialized = Conversation.sent(.initialize, answer.bytes, on: channel)
        #expect(key.send(.initialize, Conversation.nonce, on: channel) == initialized)
        let reports = CTAPHIDMessage(channel, .ping, pattern(58)).reports
        #expect(key.receive(reports[0]) == [])
        #expect(key.send(.initialize, Conversation.nonce, on: channel) == initialized)
        #expect(key.receive(reports[1]) == [])
        let id = try key.request(on: channel).id
        #expect(key.send(.initialize, Conversation.nonce, on: channel) == [.abandon(id)] + initialized)
        #expect(key.device.answer(id, with: [0], at: .zero) == [])
        #expect(try key.request(on: channel).id == id + 1)
    }

    @Test("is one channel's alone while that has the lock (HT-HID-26, HT-HID-27)")
    func locks() throws {
        var key = Conversation()
        let (one, two) = (try key.open(), try key.open())
        #expect(try key.call(.lock, [2], on: one) == .response([]))
        #expect(try key.call(.ping, [1], on: two) == .refused(.channelBusy))
        #expect(try key.call(.lock, [0], on: two) == .refused(.channelBusy))
        #expect(try key.call(.ping, [1], on: one) == .response([1]))
        #expect(try key.open().rawValue == 3)
        _ = key.wait(1_999)
        #expect(try key.call(.ping, [1], on: two) == .refused(.channelBusy))
        _ = key.wait(1)
        #expect(try key.call(.ping, [1], on: two) == .response([1]))
        #expect(try key.call(.lock, [10], on: two) == .response([]))
        #expect(try key.call(.lock, [0], on: two) == .response([]))
        #expect(try key.call(.ping, [1], on: one) == .response([1]))
    }

    @Test("tells the host when an answer cannot be sent (HT-HID-24)", arguments: [0, 7_610])
    func badAnswers(count: Int) throws {
        var key = Conversation()
        let channel = try key.open()
        let id = try key.request(on: channel).id
        #expect(key.device.answer(id, with: pattern(count), at: .zero) == Conversation.refusal(.other, on: channel))
        #expect(try key.call(.ping, [1], on: channel) == .response([1]))
    }

    @Test("drops everything when the last program has gone, but its channel")
    func closed() throws {
        var key = Conversation()
        let (one, two) = (try key.open(), try key.open())
        #expect(key.device.close() == [])
        #expect(try key.call(.lock, [10], on: one) == .response([]))
        let id = try key.request(on: one).id
        #expect(key.device.close() == [.abandon(id)])
        #expect(try key.call(.ping, [1], on: two) == .response([1]))
        #expect(key.receive(CTAPHIDMessage(two, .ping, pattern(58)).reports[0]) == [])
        #expect(key.device.close() == [])
        #expect(key.device.deadline == nil)
        #expect(try key.call(.ping, [1], on: one) == .response([1]))
    }
}
