internal import Glibc
internal import Synchronization

/// SIGCONT: the process goes on after it was stopped, for instance by ^Z, and its terminal shows something else.
package enum ProcessResumption {
    private static let counter = Atomic<Int>(0)
    /// The counter exists before the first signal: making it then would not be safe in a handler.
    private static let isCounting: Bool = {
        _ = counter.load(ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in counter.add(1, ordering: .relaxed) }
        action.sa_flags = SA_RESTART
        return sigaction(SIGCONT, &action, nil) == 0
    }()

    /// Number of times that the process went on since this was first asked for.
    package static var count: Int { isCounting ? counter.load(ordering: .relaxed) : 0 }
}
