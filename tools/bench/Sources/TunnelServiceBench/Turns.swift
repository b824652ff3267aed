import NIOSSL

/// The amounts of work in a measurement of servers.
enum Amount {
    /// New processes for each: one that the machine puts badly is slower by half for as long as it lives.
    static let processes = 15
    static let blocks = 5
    static let exchangesInABlock = 256
    static let tunnelsAtATime = 8
    static let idleTunnels = 2_000
    fileprivate static let visitsAtATime = 32
    fileprivate static let warmUp = 100
}

extension BenchmarkSecurity {
    /// The number of tunnels that are set up in a block.
    var setUpsInABlock: Int { self == .plain ? 256 : 96 }
}

/// Does the same with all servers, block by block; each begins as often as the others.
///
/// - Parameter count: how often it is done in a block.
/// - Returns: the CPU time of one in nanoseconds, a row for each block, in the order of the servers.
func inTurns(
    _ servers: [ServerProcess], _ count: Int, _ block: (ServerProcess, Int) async throws -> Void
) async throws -> [[Double]] {
    var measured: [[Double]] = []
    for number in 0...Amount.blocks {
        var row = [Double](repeating: .nan, count: servers.count)
        for turn in servers.indices {
            let place = (turn + number) % servers.count
            let server = servers[place]
            let before = try server.processorTime()
            try await block(server, number)
            row[place] = (try server.processorTime() - before) / Double(count)
        }
        // The first row warms up.
        if number > 0 { measured.append(row) }
    }
    return measured
}

/// Relays messages through tunnels that it opens at each server: the time of one message, as ``inTurns(_:_:_:)`` says.
func relayed(_ servers: [ServerProcess], _ atATime: Int, _ tls: NIOSSLContext?) async throws -> [[Double]] {
    var tunnels: [Int: [Tunnel]] = [:]
    for server in servers {
        let visit = Visit(port: server.port, tls: tls)
        for number in 0..<atATime { tunnels[server.port, default: []].append(try await visit.open(number)) }
    }
    let exchanges = Amount.exchangesInABlock / atATime
    let rows = try await inTurns(servers, 2 * Amount.exchangesInABlock) { server, _ in
        try await withThrowingTaskGroup(of: Void.self) { group in
            for tunnel in tunnels[server.port] ?? [] { group.addTask { try await tunnel.exchange(exchanges) } }
            try await group.waitForAll()
        }
    }
    for tunnel in tunnels.values.joined() { await tunnel.close() }
    return rows
}

/// Opens ``Amount/idleTunnels`` at a server, after some that warm it up.
///
/// - Returns: the resident memory that each adds, bytes, and the tunnels.
func memoryOfATunnel(
    _ server: ServerProcess, _ tls: NIOSSLContext?
) async throws -> (bytes: Double, tunnels: HeldTunnels) {
    let visit = Visit(port: server.port, tls: tls)
    try await manyTimes(Amount.warmUp) { try await visit.once($0) }
    try await Task.sleep(for: .seconds(1))
    let before = try server.residentBytes()
    let held = HeldTunnels()
    try await manyTimes(Amount.idleTunnels) { await held.keep(try await visit.open(Amount.warmUp + $0)) }
    try await Task.sleep(for: .seconds(2))
    return (Double(try server.residentBytes() - before) / Double(Amount.idleTunnels), held)
}

/// Does something `count` times, ``Amount/visitsAtATime`` at a time.
func manyTimes(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            if number >= Amount.visitsAtATime { try await group.next() }
            group.addTask { try await body(number) }
        }
        try await group.waitForAll()
    }
}
