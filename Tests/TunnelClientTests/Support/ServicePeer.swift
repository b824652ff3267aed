import Foundation
import HybridProtocol
import HybridTransport
import TestPeers
import TunnelClient

/// A tunnel service, written in Python, that treats its clients as a test says.
final class ServicePeer {
    let port: Int
    private var lines: AsyncStream<String>.Iterator

    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Peers")

    /// True if the library `websockets` is there; `pip install websockets` brings it.
    static func hasLibrary() async throws -> Bool {
        try await ChildProcess.run(["python3", "-c", "import websockets.sync.server"]).status == 0
    }

    /// A service on a raw socket: `behaviour` is Python and sees `peer`; see hostile_service.py.
    static func hostile<Result: Sendable>(
        _ behaviour: String,
        identity: Identity? = nil,
        _ body: (ServicePeer) async throws -> Result
    ) async throws -> Result {
        try await run("hostile_service.py", [behaviour] + (identity.map { [$0.certificate, $0.key] } ?? []), body)
    }

    /// A service made with a library: `behaviour` is Python and sees `tunnel`; see library_service.py.
    static func library<Result: Sendable>(
        _ behaviour: String,
        _ body: (ServicePeer) async throws -> Result
    ) async throws -> Result {
        try await run("library_service.py", [behaviour], body)
    }

    private static func run<Result: Sendable>(
        _ script: String,
        _ arguments: [String],
        _ body: (ServicePeer) async throws -> Result
    ) async throws -> Result {
        let path = scripts.appendingPathComponent(script).path
        return try await ChildProcess.with(["python3", path] + arguments) { process in
            var lines = process.lines.makeAsyncIterator()
            guard let port = await lines.next().flatMap({ Int($0) }) else { throw CocoaError(.executableLoad) }
            return try await body(ServicePeer(port: port, lines: lines))
        }
    }

    private init(port: Int, lines: AsyncStream<String>.Iterator) {
        self.port = port
        self.lines = lines
    }

    /// A listener whose backlog is full, so that the system answers no further connection.
    private static let filledListener = """
        peer.accept()
        full = socket.create_server(("127.0.0.1", 0), backlog=0)
        port = full.getsockname()[1]
        held = [socket.socket() for _ in range(4)]
        for filler in held:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())

        """

    /// Behaviour that makes a listener whose backlog stays full.
    static let fullListener =
        filledListener + """
            say("full", port)
            time.sleep(60)
            """

    /// The same, and it takes connections once so many more wait for an answer. It says `gone` when no client is there.
    static func busyListener(until count: Int) -> String {
        filledListener + """
            def connections(*states):
                # The system's table: number, own address, other address, state.
                rows = [line.split() for line in open("/proc/net/tcp")]
                return {row[1] for row in rows if row[2].endswith(f":{port:04X}") and row[3] in states}
            fillers = connections("01", "02")
            say("full", port)
            while len(connections("02") - fillers) < \(count): time.sleep(0.01)
            say("waiting")
            def watch():
                while connections("01", "02") - fillers: time.sleep(0.01)
                say("gone")
            threading.Thread(target=watch, daemon=True).start()
            while True:
                connection, _ = full.accept()
                threading.Thread(target=serve, args=(connection, "peer.accept()", None), daemon=True).start()
            """
    }

    /// The address of the full listener, once a tunnel was opened.
    func portOfFullListener() async throws -> Int {
        _ = try await TunnelClient(configuration: .with { $0.closeTimeout = .zero }).open(url)
        guard let port = await next("full").flatMap({ Int($0) }) else { throw CocoaError(.executableLoad) }
        return port
    }

    var url: String { "ws://127.0.0.1:\(port)/cable/new/00112233445566778899aabbccddeeff" }

    /// The rest of the next line that the service prints with this first word.
    func next(_ word: String) async -> String? {
        while let line = await lines.next(isolation: #isolation) {
            if line == word { return "" }
            if line.hasPrefix(word + " ") { return String(line.dropFirst(word.count + 1)) }
        }
        return nil
    }

    /// The lines up to the one that begins with this word, and that one.
    func lines(through word: String) async -> [String] {
        var read: [String] = []
        while let line = await lines.next(isolation: #isolation) {
            read.append(line)
            if line.hasPrefix(word) { break }
        }
        return read
    }

    /// The next line that tells how the connection ended: `end`, `reset` or `tls …`.
    func ending() async -> String? {
        while let line = await lines.next(isolation: #isolation) {
            if line == "end" || line == "reset" || line.hasPrefix("tls") { return line }
        }
        return nil
    }
}

extension TunnelClient.Configuration {
    /// The usual configuration, with changes.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        change(&configuration)
        return configuration
    }
}

/// The error that a piece of work throws, as the data channel names it.
func failure(_ work: () async throws -> Void) async -> DataChannelError? {
    do {
        try await work()
        return nil
    } catch {
        return error as? DataChannelError
    }
}
