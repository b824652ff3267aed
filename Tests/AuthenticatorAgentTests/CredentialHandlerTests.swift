import Foundation
import HybridProtocol
import HybridTransport
import LinuxSupport
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// Digital credentials by a program.
@Suite("A credential handler", .timeLimit(.minutes(2)))
struct CredentialHandlerTests {
    private static let request = """
        {"origin":"https://shop.example","requestType":"credential.get","request":{"digital":{"requests":\
        [{"protocol":"openid4vp-v1-unsigned","data":{}}]}}}
        """
    private static let credential = """
        {"response":{"digital":{"data":{"protocol":"openid4vp-v1-unsigned","data":{}}}}}
        """
    private static let yes = ScriptedAnswer.approved(verified: true, account: nil)

    /// Outcome of one request.
    private struct Run {
        let answer: String
        let refusal: RequestRefused?
        let events: EventRecord
        let folder: String

        func file(_ name: String) -> String? { try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }
    }

    /// Answers a request by a shell script.
    private func run(
        _ script: String, _ approval: ScriptedAnswer = yes, request: String = request,
        timeLimit: Duration = .seconds(30),
        _ check: (Run) throws -> Void
    ) async throws {
        try await inFolder { folder in
            let program = folder + "/handler"
            try "#!/bin/sh\ncd '\(folder)'\n\(script)\n".write(toFile: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
            let events = EventRecord()
            let log = SessionLog(observe: events.note)
            let handler = CredentialHandler(
                program: program, approval: ScriptedApproval(approval), timeLimit: timeLimit, log: log,
                observe: events.note)
            let answer = await handler.answer(request)
            var refusal: RequestRefused?
            do {
                let answers = try log.answers()
                #expect(answers.map(\.command) == ["credential.get"])
            } catch let error as RequestRefused {
                refusal = error
            }
            try check(Run(answer: answer, refusal: refusal, events: events, folder: folder))
        }
    }

    @Test("gets what the user has agreed to and little of the environment, and its credential is the answer")
    func success() async throws {
        setenv("AGENT_TEST_SECRET", "1", 1)
        try await run("cat > input; env > environment; echo '\(Self.credential)'") { run in
            #expect(run.refusal == nil && run.answer.contains("openid4vp-v1-unsigned"))
            #expect(run.file("input")?.contains("https://shop.example") == true)
            #expect(run.file("input")?.last == "\n")
            // Each variable as it is, without a byte of memory behind it.
            let variables = run.file("environment")?.split(separator: "\n").map(String.init) ?? []
            for name in ["PATH", "HOME"] {
                let value = try #require(ProcessInfo.processInfo.environment[name])
                #expect(variables.contains("\(name)=\(value)"))
            }
            #expect(!variables.contains { $0.hasPrefix("AGENT_TEST_SECRET") })
            #expect(run.events.contains { if case CeremonyEvent.stage(.userVerified) = $0 { true } else { false } })
        }
    }

    @Test(
        "leaves nothing of its process group running",
        arguments: [
            "sleep 600 & echo $! > child; echo '\(credential)'",
            "sleep 600 < /dev/null > /dev/null 2>&1 & echo $! > child; echo '\(credential)'",
            "sh -c 'sleep 600 & echo $! > child; sleep 600' > /dev/null 2>&1 & sleep 600",
        ])
    func descendants(script: String) async throws {
        try await run(script, timeLimit: .seconds(3)) { run in
            let child = try #require(run.file("child").flatMap { pid_t($0.trimmingCharacters(in: .newlines)) })
            // A killed process may still be about to end, or wait for its parent to notice. By itself it
            // ends much later.
            let limit = ContinuousClock.now + .seconds(60)
            while let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8),
                !state.contains(") Z ")
            {
                try #require(.now < limit, "process \(child): \(state)")
                usleep(10_000)
            }
        }
    }

    @Test("may close its input before it has read a long request")
    func inputClosed() async throws {
        // More than a pipe holds: writing it fails for sure, and must not end this process by SIGPIPE.
        let long = String(repeating: "a", count: 200_000)
        let data = #""data":{"dcql_query":{"credentials":[{"format":"f"}]},"long":"\#(long)"}"#
        let request = Self.request.replacingOccurrences(of: #""data":{}"#, with: data)
        try await run("exec 0<&-; echo '\(Self.credential)'", request: request) { run in
            #expect(run.answer.contains("openid4vp-v1-unsigned"))
        }
    }

    @Test("is not started without the user's approval")
    func declined() async throws {
        try await run("touch started", .declined) { run in
            #expect(run.answer.contains("USER_CANCELED") && run.file("started") == nil)
            #expect(run.refusal?.reason.remedy == .startAgainUnlessIntended)
        }
        try await run("touch started", .timedOut) { run in
            #expect(run.answer.contains("DEVICE_ABORTED") && run.file("started") == nil)
        }
    }

    @Test("is not started for a request that is none")
    func invalid() async throws {
        try await run("touch started", request: "{}") { run in
            #expect(run.answer.contains("INVALID_REQUEST") && run.file("started") == nil)
            #expect(run.refusal?.reason.remedy == .reportClient)
        }
    }

    @Test(
        "is not started for an origin that is none, or a request that was signed for another, and nobody is asked",
        arguments: [
            (request.replacingOccurrences(of: "https", with: "http"), "bad-origin"),
            (
                request.replacingOccurrences(of: "unsigned", with: "signed").replacingOccurrences(
                    of: #""data":{}"#, with: #""data":{"request":"\#(signed)"}"#), "other-origin"
            ),
        ])
    func notAdmitted(request: String, code: String) async throws {
        try await run("touch started", .refused(.unavailable), request: request) { run in
            #expect(run.answer.contains("INVALID_REQUEST") && run.file("started") == nil)
            #expect(run.refusal?.reason.remedy == .distrustSite)
            #expect(run.refusal?.reason.code == code)
        }
    }

    @Test("gets none of the options that could be read in two ways, and the user is told")
    func leftOut() async throws {
        let option = #"{"protocol":"openid4vp-v1-signed","data":{"request":"a.b.c"}},"#
        let request = Self.request.replacingOccurrences(of: "[{", with: "[" + option + "{")
        try await run("cat > input; echo '\(Self.credential)'", request: request) { run in
            #expect(run.refusal == nil && run.answer.contains("openid4vp-v1-unsigned"))
            #expect(run.file("input") == Self.request + "\n")
            #expect(run.events.contains { if case AgentEvent.optionLeftOut = $0 { true } else { false } })
        }
    }

    /// A request in the compact form that may come from https://verifier.example alone.
    private static let signed = [
        #"{"alg":"ES256","typ":"oauth-authz-req+jwt"}"#,
        #"{"client_id":"c","expected_origins":["https://verifier.example"]}"#, "signature",
    ].map {
        Data($0.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "").replacingOccurrences(
            of: "+", with: "-"
        ).replacingOccurrences(of: "/", with: "_")
    }.joined(separator: ".")

    @Test("may refuse; its error lines are told")
    func refusal() async throws {
        try await run(#"echo 'nothing here' >&2; echo '{"response":{"digital":{"error":"NO_CREDENTIAL"}}}'"#) { run in
            #expect(run.answer.contains("NO_CREDENTIAL") && run.refusal?.reason.remedy == .nothingShown)
            #expect(
                run.events.contains { if case AgentEvent.handlerLine("nothing here", _) = $0 { true } else { false } })
        }
    }

    @Test(
        "that fails, says too much or answers something else is reported",
        arguments: [
            ("exit 3", "it ended with exit status 3"), ("kill -9 $$", "it ended by a signal"),
            ("exec yes", "its answer is too long"), ("exit 0", "its answer is malformed"),
            (
                #"echo '{"response":{"digital":{"data":{"protocol":"other","data":{}}}}}'"#,
                "of a protocol that was not asked for"
            ),
        ])
    func failure(script: String, cause: String) async throws {
        try await run(script) { run in
            #expect(run.answer.contains("DEVICE_ABORTED") && run.refusal?.reason.remedy == .checkHandler)
            #expect(
                run.refusal?.reason.cause.english.contains(cause) == true, "\(run.refusal?.reason.cause.english ?? "")")
        }
    }

    @Test("is ended with all that it has started when its time is up")
    func timeout() async throws {
        try await run("sleep 1000 & echo $! > child; wait", timeLimit: .seconds(3)) { run in
            #expect(run.answer.contains("DEVICE_ABORTED"))
            #expect(run.refusal?.reason.cause.english.hasSuffix("its time was up") == true)
            let isOver = try isOver(run)
            #expect(isOver)
        }
    }

    @Test("leaves nothing running when it has answered")
    func leftovers() async throws {
        try await run("sleep 1000 & echo $! > child; echo '\(Self.credential)'") { run in
            #expect(run.refusal == nil && run.answer.contains("openid4vp-v1-unsigned"))
            let isOver = try isOver(run)
            #expect(isOver)
        }
    }

    @Test("that is not there is reported")
    func missing() async throws {
        let log = SessionLog(observe: { _ in })
        let handler = CredentialHandler(
            program: "/nowhere/handler", approval: ScriptedApproval(Self.yes), timeLimit: .seconds(5), log: log,
            observe: { _ in })
        #expect(await handler.answer(Self.request).contains("DEVICE_ABORTED"))
        #expect {
            try log.answers()
        } throws: {
            ($0 as? RequestRefused)?.reason.cause == "/nowhere/handler gave no answer: it is not there"
        }
    }

    /// True if the child that the script has noted does not run any more, or is about to end.
    private func isOver(_ run: Run) throws -> Bool {
        let child = try #require(run.file("child")).trimmingCharacters(in: .whitespacesAndNewlines)
        for _ in 0..<200 {
            let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
            guard let status, !status.contains("State:\tZ") else { return true }
            usleep(5_000)
        }
        return false
    }
}
