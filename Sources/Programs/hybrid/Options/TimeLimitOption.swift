import ArgumentParser
import HybridTransport

/// The time limit for people.
struct TimeLimitOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many seconds to wait for a person or the other device at each stage.", valueName: "seconds"))
    var timeout: UInt32 = 120

    func validate() throws {
        guard timeout > 0 else { throw ValidationError("--timeout takes 1 second or more") }
    }

    /// People get as long as the option says. Machines keep their own limits, unless those are longer than that.
    var limits: TimeLimits {
        var limits = TimeLimits.standard
        let people = Duration.seconds(timeout)
        // Who wants a person to be waited for less long wants it of a client too.
        if people < limits.command { limits.departure = people }
        limits.discovery = people
        limits.command = people
        limits.lateUpdate = people
        limits.advertising = min(limits.advertising, people)
        limits.idle = min(limits.idle, people)
        limits.tunnel = min(limits.tunnel, people)
        limits.handshake = min(limits.handshake, people)
        return limits
    }
}
