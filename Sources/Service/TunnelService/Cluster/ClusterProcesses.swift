import NIOCore

/// The other processes of the service that have proved that they run, and the numbers that each has told last
/// (TS-CON-51, TS-CON-55), of a bounded number of processes.
struct ClusterProcesses {
    /// The most processes of one generation, of which two are kept: those that are heard stay.
    static let generationCount = 4_096
    /// The number that a process tells first.
    static let firstNumber: UInt64 = 1

    private struct Process {
        /// That of its last message.
        var counter: UInt64
        /// The last one that it has told in `alive`.
        var number: UInt64
        /// The time at which it was asked for its last proof.
        var asked: NIODeadline
    }

    /// The standing of a message.
    enum Standing: Equatable {
        /// It is the latest of its process.
        case new
        /// The same, and its process has to prove again soon that it runs.
        case due
        /// It, or a later one, has come before.
        case replayed
        /// Its process has not proved that it runs, or not for too long.
        case unproven
    }

    /// The outcome of a proof.
    enum Proof: Equatable {
        /// The process was known, and everything that it has told was heard.
        case renewed
        /// The process has just begun.
        case begun
        /// The process was there, and not heard.
        case unheard
    }

    private var newer: [[UInt8]: Process] = [:]
    private var older: [[UInt8]: Process] = [:]

    /// The number of processes that are remembered.
    var count: Int { newer.count + older.count }

    /// Judges a message whose code is right, and remembers it.
    ///
    /// - Parameter time: the longest time for which a proof is good.
    mutating func take(_ sender: ClusterEnvelope.Sender, at now: NIODeadline, for time: TimeAmount) -> Standing {
        guard var process = self[sender.process], now < process.asked + time else { return .unproven }
        guard sender.counter > process.counter else { return .replayed }
        process.counter = sender.counter
        self[sender.process] = process
        return now < process.asked + .nanoseconds(time.nanoseconds / 2) ? .new : .due
    }

    /// Takes a proof: an answer to a question that was asked at this time.
    mutating func prove(_ sender: ClusterEnvelope.Sender, number: UInt64, asked: NIODeadline) -> Proof {
        let before = self[sender.process]
        let counter = max(sender.counter, before?.counter ?? 0)
        self[sender.process] = Process(counter: counter, number: number, asked: asked)
        guard number <= before?.number ?? Self.firstNumber else { return .unheard }
        return before == nil ? .begun : .renewed
    }

    /// Remembers the number of an `alive`.
    ///
    /// - Returns: false if others of this process have not come before it.
    mutating func take(number: UInt64, of name: [UInt8]) -> Bool {
        guard var process = self[name] else { return true }
        let isNext = number == process.number &+ 1
        process.number = number
        self[name] = process
        return isNext
    }

    private subscript(name: [UInt8]) -> Process? {
        get { newer[name] ?? older[name] }
        set {
            older[name] = nil
            if newer[name] == nil, newer.count >= Self.generationCount {
                older = newer
                newer = [:]
            }
            newer[name] = newValue
        }
    }
}
