/// The list of a probe that was answered without the phone.
struct ProbedList: Sendable {
    let rpID: String
    let ids: [[UInt8]]
    let time: ContinuousClock.Instant
}
