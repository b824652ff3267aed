/// The list of a probe that was answered without the phone.
struct ProbedList: Sendable {
    let rpID: String
    let ids: [[UInt8]]
    let time: ContinuousClock.Instant
}

/// The passkeys of such a list that authenticatorGetNextAssertion has still to name.
package struct UnnamedPasskeys: Sendable {
    let rpID: String
    let ids: ArraySlice<[UInt8]>
}
