import Synchronization
import UserVerification

extension QuestionClock {
    /// The clock of a user who reads each question: it is a second later whenever it is looked at.
    static var ofReader: QuestionClock { showing([]) }

    /// A clock that shows these times, one whenever it is looked at, and then one second more each time.
    static func showing(_ times: [Duration]) -> QuestionClock {
        let start = ContinuousClock.now
        let state = Mutex((times: times[...], last: Duration.zero))
        return QuestionClock {
            state.withLock { state in
                state.last = state.times.popFirst() ?? state.last + .seconds(1)
                return start + state.last
            }
        }
    }
}
