/// The last number that each other process of the service has told (TS-CON-51), of a bounded number of processes.
struct ClusterProcesses {
    /// The most processes of one generation, of which two are kept: those that are heard stay.
    static let generationCount = 4_096
    /// The number that a process tells first.
    static let firstNumber: UInt64 = 1

    private var newer: [[UInt8]: UInt64] = [:]
    private var older: [[UInt8]: UInt64] = [:]

    /// The number of processes that are remembered.
    var count: Int { newer.count + older.count }

    /// Remembers a number.
    ///
    /// - Returns: false if others of this process have not come before it.
    mutating func take(_ number: UInt64, of process: [UInt8]) -> Bool {
        let last = newer[process] ?? older.removeValue(forKey: process)
        if newer[process] == nil, newer.count >= Self.generationCount {
            older = newer
            newer = [:]
        }
        newer[process] = number
        return number == last.map { $0 &+ 1 } ?? Self.firstNumber
    }
}
