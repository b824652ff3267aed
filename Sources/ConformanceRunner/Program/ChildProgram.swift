internal import ChildProcess
internal import Glibc
internal import NIOCore
internal import NIOPosix

/// The peer: a command that runs for one case, in a process group of its own, and is killed with all that it has started
/// when the case is over.
final class ChildProgram: Sendable {
    /// How a program ended.
    enum End: Equatable, Sendable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        var description: String {
            switch self {
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "signal \(signal)"
            }
        }
    }

    private let process: pid_t
    private let output: Mailbox<[UInt8]>
    private let channel: any Channel

    /// How often the system is asked whether the program has ended.
    private static let glance = Duration.milliseconds(5)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, sought in PATH, and its arguments.
    ///   - input: what it reads on standard input: 4 KiB at most, which a pipe holds.
    /// - Throws: ``RunnerError`` with `cannot-start`.
    static func start(_ command: [String], input: String?) async throws -> ChildProgram {
        let (reading, writing) = try pipe()
        let process: pid_t
        do {
            defer { close(writing) }
            let standardInput = try input.map(filledPipe)
            defer { if let standardInput { close(standardInput) } }
            process = try spawn(command, ChildProcess.Streams(input: standardInput, output: writing, error: writing))
        } catch {
            close(reading)
            throw error
        }
        let output = Mailbox<[UInt8]>()
        let channel = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OutputCollector(output))
                }
            }
            .takingOwnershipOfDescriptor(input: reading).get()
        return ChildProgram(process, output, channel)
    }

    private init(_ process: pid_t, _ output: Mailbox<[UInt8]>, _ channel: any Channel) {
        self.process = process
        self.output = output
        self.channel = channel
    }

    /// The next piece of what it writes to standard output or error; nil when it writes no more.
    func nextOutput() async throws -> [UInt8]? { try await output.next() }

    /// How it ended; nil while it runs.
    func end() -> End? {
        var information = siginfo_t()
        // It stays a zombie, so that its number is nobody else's when the group is killed.
        guard waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
            information.si_signo == SIGCHLD
        else { return nil }
        let status = information._sifields._sigchld.si_status
        return information.si_code == CInt(CLD_EXITED) ? .exited(status) : .signalled(status)
    }

    /// Waits for its end.
    ///
    /// - Throws: `CancellationError`.
    func waitForEnd() async throws -> End {
        while true {
            if let end = end() { return end }
            try await Task.sleep(for: Self.glance)
        }
    }

    /// Kills it and all that it has started, unless it has ended, and frees its number.
    func kill() {
        ChildProcess.kill(process)
        channel.close(promise: nil)
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw cannotStart("a pipe", errno) }
        return (ends[0], ends[1])
    }

    private static func filledPipe(_ text: String) throws -> Int32 {
        let (reading, writing) = try pipe()
        defer { close(writing) }
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
        return reading
    }

    private static func spawn(_ command: [String], _ streams: ChildProcess.Streams) throws -> pid_t {
        do {
            return try ChildProcess.spawn(command, streams)
        } catch {
            throw cannotStart(command.first ?? "no command", error.number)
        }
    }

    private static func cannotStart(_ what: String, _ number: Int32) -> RunnerError {
        RunnerError(.cannotStart, reason: "\(what) cannot be started: \(String(cString: strerror(number)))")
    }
}

/// Puts what a program writes into the mailbox.
private final class OutputCollector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let output: Mailbox<[UInt8]>

    init(_ output: Mailbox<[UInt8]>) { self.output = output }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        output.put(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { output.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
