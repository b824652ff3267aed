import Foundation
import TestPeers
import Testing

/// Questions for Peer/answer.py, and the answers that it should give.
struct PythonPeer {
    struct Question: Encodable {
        let ask: String
        let arguments: [String]

        init(_ ask: String, _ arguments: [[UInt8]]) {
            self.ask = ask
            self.arguments = arguments.map { hex($0) }
        }
    }

    private var questions: [Question] = []
    private var expected: [String] = []

    /// True if the program has its requirements here.
    static func isPresent() async -> Bool {
        (try? await ChildProcess.run(["python3", "-c", "import cryptography"]).status) == 0
    }

    /// Notes a question whose answer should be some bytes.
    mutating func expect(_ answer: [UInt8], _ ask: String, _ arguments: [UInt8]...) {
        expect(hex(answer), ask, arguments)
    }

    /// Notes a question whose answer should be a word.
    mutating func expect(_ answer: String, _ ask: String, _ arguments: [UInt8]...) {
        expect(answer, ask, arguments)
    }

    private mutating func expect(_ answer: String, _ ask: String, _ arguments: [[UInt8]]) {
        questions.append(Question(ask, arguments))
        expected.append(answer)
    }

    /// Asks all questions and compares the answers.
    func check(_ location: SourceLocation = #_sourceLocation) async throws {
        let answers = try await Self.ask(questions)
        #expect(answers.count == expected.count, sourceLocation: location)
        for (question, (answer, expected)) in zip(questions, zip(answers, expected)) {
            #expect(answer == expected, "\(question.ask) \(question.arguments)", sourceLocation: location)
        }
    }

    /// Asks, and gives the answers back.
    static func ask(_ questions: [Question]) async throws -> [String] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/answer.py")
        return try await TemporaryFile.with(JSONEncoder().encode(questions)) { file in
            let run = try await ChildProcess.run(["python3", script.path, file])
            try #require(run.status == 0)
            return run.lines
        }
    }
}

/// A file that lives as long as a closure runs.
enum TemporaryFile {
    /// Writes the bytes to a new file and gives its path.
    static func with<Result>(_ contents: some DataProtocol, _ body: (String) async throws -> Result) async throws
        -> Result
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "hybrid-transport-test-\(UUID().uuidString)")
        try Data(contents).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file.path)
    }
}
