import Synchronization
import Testing

@testable import Conformance

/// Peers that are scripts, each of which deviates in one way on purpose: the runner must notice.
@Suite("A peer that deviates", .timeLimit(.minutes(5)))
struct JudgingTests {
    /// Runs one case.
    static func verdict(
        _ role: ConformanceCase.Role, _ id: String, _ command: [String], timeout: Duration = .seconds(20)
    ) async throws -> Verdict {
        try await result(role, id, command, timeout: timeout).verdict
    }

    /// Runs one case.
    static func result(
        _ role: ConformanceCase.Role, _ id: String, _ command: [String], timeout: Duration = .seconds(20)
    ) async throws -> CaseResult {
        var settings = ProgramSettings(command: CommandTemplate(command), timeout: timeout, radio: .simulated)
        settings.holdsPolicies = true
        let results = Mutex<[CaseResult]>([])
        let isWanted = { (testCase: ConformanceCase) in testCase.id == id }
        let note = { @Sendable (result: CaseResult) in results.withLock { $0.append(result) } }
        switch role {
        case .authenticator:
            try await ConformanceRunner.testAuthenticator(settings, jobs: 1, where: isWanted, report: note)
        default: try await ConformanceRunner.testClient(settings, jobs: 1, where: isWanted, report: note)
        }
        return try #require(results.withLock { $0 }.first)
    }

    static func deviation(
        _ role: ConformanceCase.Role, _ id: String, _ command: [String], timeout: Duration = .seconds(20)
    ) async throws -> String {
        let verdict = try await verdict(role, id, command, timeout: timeout)
        guard case .deviates(let reason) = verdict else {
            Issue.record("\(verdict) is not a deviation")
            return ""
        }
        return reason
    }

    /// A script with the ports of its tunnel service and its radio.
    static func script(_ text: String) -> [String] {
        let head = """
            import os, socket, sys, time
            place = ("127.0.0.1", int(sys.argv[1].rsplit(":", 1)[1]))
            radio = ("127.0.0.1", int(sys.argv[2].rsplit(":", 1)[1]))

            """
        return ["python3", "-u", "-c", head + text, "{tunnel}", "{radio}", "{url}"]
    }

    static let refusal = "authenticator/code/secret-15"

    @Test("by ending with exit status 0, where it has to refuse")
    func endsWell() async throws {
        #expect(try await Self.deviation(.authenticator, Self.refusal, ["true"]).contains("exit status 0"))
    }

    @Test("by opening a tunnel, or advertising, for what it has to refuse")
    func goesOn() async throws {
        let opens = Self.script("socket.create_connection(place).send(b'GET /'); time.sleep(60)")
        #expect(try await Self.deviation(.authenticator, Self.refusal, opens) == "it opens a tunnel for this QR code")
        let advertises = Self.script(
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'\\xff\\xf9' + bytes(20), radio); time.sleep(1); sys.exit(1)"
        )
        #expect(try await Self.deviation(.authenticator, Self.refusal, advertises) == "it advertises for this QR code")
    }

    @Test("by crashing, by itself or inside of a shell", arguments: ["kill -SEGV $$", "exit 139", "kill -ABRT $$"])
    func crashes(text: String) async throws {
        let reason = try await Self.deviation(.authenticator, Self.refusal, ["sh", "-c", text])
        #expect(reason.contains("signal") || reason.contains("crashed"))
    }

    @Test("by not ending")
    func hangs() async throws {
        let reason = try await Self.deviation(
            .authenticator, Self.refusal, ["sh", "-c", "exec sleep 600"], timeout: .seconds(4))
        #expect(reason == "the end of the command did not come within 4.0 s")
    }

    @Test("by failing, or by sending nothing, where it has to work")
    func fails() async throws {
        let id = "authenticator/code/makes-passkey"
        #expect(
            try await Self.deviation(.authenticator, id, ["false"])
                == "it ended before a connection to the tunnel service: exit status 1")
        #expect(
            try await Self.deviation(.authenticator, id, ["sh", "-c", "exec sleep 600"], timeout: .seconds(4))
                == "a connection to the tunnel service did not come within 4.0 s")
    }

    @Test("by asking for another path, or for nothing that is HTTP")
    func path() async throws {
        let wrong = Self.script(
            "socket.create_connection(place).send(b'GET /cable/new/00 HTTP/1.1\\r\\n\\r\\n'); time.sleep(60)")
        // The rule is disputed.
        let path = "authenticator/tunnel/path"
        #expect(
            try await Self.verdict(.authenticator, path, wrong).detail?
                .hasPrefix("it asks for /cable/new/00, not /cable/new/") == true)
        let none = Self.script("socket.create_connection(place).send(b'\\x16\\x03\\r\\n\\r\\n'); time.sleep(60)")
        let reason = "its first bytes to the tunnel service are not an HTTP request"
        #expect(try await Self.verdict(.authenticator, path, none) == .observed(reason))
    }

    @Test("by staying after the other side is gone")
    func survives() async throws {
        let stays = Self.script(
            "socket.create_connection(place).send(b'GET /cable/new/00 HTTP/1.1\\r\\n\\r\\n'); time.sleep(600)")
        let reason = try await Self.deviation(
            .authenticator, "authenticator/upgrade/silence", stays, timeout: .seconds(10))
        #expect(reason == "the end of the command did not come within 10.0 s")
    }

    /// A script that shows a code with these values, in hexadecimal CBOR, under the keys 2 to 6.
    static func client(_ rest: String, _ count: Int, _ then: String = "time.sleep(60)") -> [String] {
        script(
            """
            # The generator of P-256, and a secret of zeros.
            code = bytes.fromhex("a\(count)005821036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2960150" + "00" * 16 + "\(rest)")
            digits = {1: 3, 2: 5, 3: 8, 4: 10, 5: 13, 6: 15, 7: 17}
            parts = [code[start : start + 7] for start in range(0, len(code), 7)]
            print("FIDO:/" + "".join(str(int.from_bytes(part, "little")).zfill(digits[len(part)]) for part in parts))
            \(then)
            """)
    }

    @Test("by a code that lacks what it must say")
    func codes() async throws {
        let whole = Self.client("02020300" + "04f4" + "05626d63", 6)
        #expect(try await Self.verdict(.client, "client/code/canonical", whole) == .passed)
        // The rule on key 4 is disputed.
        #expect(try await Self.verdict(.client, "client/code/linking-stated", whole) == .observed("complies"))
        #expect(
            try await Self.deviation(.client, "client/code/timestamp", whole).hasPrefix(
                "key 3 says 0, and the time is "))
        let bare = Self.client("05626d63", 3)
        let reason = "key 4 is missing or not a bool"
        #expect(try await Self.verdict(.client, "client/code/linking-stated", bare) == .observed(reason))
        // Key 3 is optional.
        #expect(try await Self.verdict(.client, "client/code/timestamp", bare) == .observed("leaves key 3 out"))
        let unordered = Self.client("05626d63" + "0202", 4)
        #expect(
            try await Self.deviation(.client, "client/code/canonical", unordered).hasPrefix(
                "its QR code is not canonical CBOR: "))
        #expect(
            try await Self.deviation(.client, "client/code/canonical", ["echo", "nothing"])
                == #"it ended without writing the text of a QR code: "nothing\n""#)
    }

    @Test("by not coming over L2CAP, which it has offered; one that offers none is skipped")
    func nearby() async throws {
        let id = "client/l2cap/framing-terminated"
        let offers = Self.client("05626d63" + "06820001", 4, "sys.exit(1)")
        #expect(
            try await Self.deviation(.client, id, offers)
                == "it ended before a connection over L2CAP: exit status 1")
        let garbage = Self.client(
            "05626d63" + "06820001", 4,
            """
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            while True:
                # The runner listens when it has read the code.
                try: channel.connect("\\0hybrid-radio/127.0.0.1:%d/128" % radio[1]); break
                except ConnectionRefusedError: time.sleep(0.02)
            channel.send(bytes(81) + b"\\r\\n")
            time.sleep(60)
            """)
        #expect(
            try await Self.deviation(.client, id, garbage).hasPrefix(
                "its handshake message of 81 bytes cannot be decrypted"))
        let none = Self.client("05626d63", 3)
        // Nobody sends such a client an advert with a suffix.
        for id in [id, "client/advert/suffix-longest"] {
            #expect(try await Self.verdict(.client, id, none) == .skipped("its QR code does not offer L2CAP"))
        }
    }
}
