internal import CTAP

/// The phone's answer to a probe, which is the answer to the request that follows, too.
struct ProbeAnswer: Sendable {
    let rpID: String
    let clientDataHash: [UInt8]
    let response: GetAssertionResponse
    let isVerified: Bool
    let time: ContinuousClock.Instant

    /// True if this is what the phone would answer a request.
    func isFor(
        _ request: GetAssertionRequest, _ allowed: [[UInt8]], at now: ContinuousClock.Instant
    ) -> Bool {
        guard let id = response.credential?.id else { return false }
        return rpID == request.rpID && clientDataHash == request.clientDataHash && allowed.contains(id)
            && (isVerified || request.options.userVerification != true) && now < time + PhoneKey.followUpLifetime
    }
}
