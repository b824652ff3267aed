import ArgumentParser
import CommandLine
import Glibc
import LinuxSupport

/// Is the native-messaging host of the browser's extension.
struct BrowserHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browser-host",
        summary: "Pass one request of the browser's extension to the machine where you sit. Chromium runs this.",
        details: """
            example:
              hybrid client browser-host --socket laptop.socket

            hybrid-browser-proxy install registers it with Chromium. ssh forwards the socket to the other machine, \
            where hybrid client serve-browser answers.
            """)

    @OptionGroup(title: OptionTitle.reach) var socket: BrowserSocketOption

    @Argument(help: .hidden) var caller: [String] = []

    func run() async throws {
        try await runCommand(Reporter(isJSON: false)) {
            var request = BrowserMessage()
            let message = try Self.wait(for: &request, from: STDIN_FILENO)
            do {
                try answer(message)
            } catch let failure as Failure {
                // The cause, with paths of this machine, is for Chromium's log, and not for the page.
                try StandardStreams.write(BrowserAnswer.refusal.message, to: STDOUT_FILENO)
                throw failure
            }
        }
    }

    private func answer(_ request: [UInt8]) throws {
        let file = try BrowserSocket.connect(to: try socket.path())
        defer { close(file) }
        // One that is refused before it was taken has an answer all the same.
        try? StandardStreams.write(BrowserMessage.encoded(String(decoding: request, as: UTF8.self)), to: file)
        var answer = BrowserMessage()
        let message = try Self.wait(for: &answer, from: file, orEndOf: STDIN_FILENO)
        try StandardStreams.write(
            BrowserMessage.encoded(String(decoding: message, as: UTF8.self)), to: STDOUT_FILENO)
    }

    /// Reads a message whole; the end of `other`, or anything there, ends it.
    private static func wait(
        for message: inout BrowserMessage, from file: Int32, orEndOf other: Int32 = -1
    ) throws -> [UInt8] {
        while true {
            try Task.checkCancellation()
            let ready = PollThread.poll([(file, Int32(POLLIN)), (other, Int32(POLLIN))], atMost: .milliseconds(100))
            guard ready[1] == 0 else { throw CancellationError() }
            guard ready[0] != 0 else { continue }
            switch message.read(from: file) {
            case .partial: continue
            case .complete(let bytes): return bytes
            case .ended:
                throw Failure(
                    .peerClosed, code: "no-message", cause: "the other side ended without a message",
                    hint: "see what hybrid client serve-browser says")
            }
        }
    }
}
