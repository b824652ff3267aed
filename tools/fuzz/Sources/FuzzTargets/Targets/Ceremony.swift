extension FuzzTarget {
    static let ceremony = FuzzTarget(
        "ceremony", "both ends of QR, linked, Bluetooth and digital-credential sessions, over interfaces with faults",
        maxByteCount: 1_024
    ) { input in
        let thread = VirtualThread.shared
        let acquaintance = try Acquaintance.shared.get()
        let order = VirtualThread.Order(&input)
        var play: CeremonyPlay? = try CeremonyPlay(&input, acquaintance, isTimeless: order.stepNanoseconds == 0)
        let remains = play?.remains
        let begin = VirtualThread.now
        let end = CeremonyPlay.End()
        let ending = thread.run(order, atMost: mostSteps) { [play] in
            await play?.run()
            end.note()
        }
        // A task that is left by then had to be cancelled with its ceremony: one that goes on makes steps for ever.
        expect(ending == .idle, end.time == nil ? "a ceremony does not end" : "a task goes on after its ceremony")
        guard let time = end.time else { finding("a ceremony waits for what never comes") }
        expect(
            order.stepNanoseconds > 0 || time - begin <= CeremonyPlay.longestNanoseconds,
            "a ceremony takes longer than its limits")
        play?.judge()
        play = nil
        expect(remains?.areGone == true, "a task or a cycle holds on to the interfaces after the ceremony")
    }

    /// Several times the steps of the longest play.
    private static let mostSteps = 60_000
}

extension VirtualThread.Order {
    init(_ input: inout FuzzInput) {
        let kind = input.number(below: 4)
        if kind > 1 { seed = UInt32(input.number(below: 1 << 16)) }
        if kind == 3 { stepNanoseconds = 1_000 * input.number(below: 256) }
    }
}
