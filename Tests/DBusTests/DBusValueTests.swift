import TestPeers
import Testing

@testable import LinuxSupport

/// Values of the types that the Secret Service and polkit use, to python-dbus and back over dbus-daemon.
@Suite(.timeLimit(.minutes(2)))
struct DBusValueTests {
    @Test func `numbers keep their widths and signs`() async throws {
        let numbers: [DBusValue] = [.int32(.min), .uint32(.max), .uint64(.max)]
        try await DBusPeer.with { peer in
            let answer = try await peer.call("Numbers", numbers)
            #expect(answer == numbers)
            #expect(await peer.said() == "numbers -2147483648 4294967295 18446744073709551615")
        }
    }

    @Test(arguments: [[], [1, 2, 255]] as [[UInt8]])
    func `a struct keeps its members, the Secret Service's secret for one`(parameters: [UInt8]) async throws {
        let secret = DBusValue.structure([.objectPath("/s/1"), .bytes(parameters), .bytes([7]), .string("text/plain")])
        #expect(secret.signature == "(oayays)")
        try await DBusPeer.with { peer in
            let answer = try await peer.call("Secret", [secret])
            #expect(answer == [secret])
            #expect(answer.first?.structureValue?.count == 4)
            #expect(await peer.said() == "secret /s/1 \(parameters.isEmpty ? "-" : hex(parameters)) 07 text/plain")
        }
    }

    @Test func `an empty array is sent with the type of the elements that it lacks`() async throws {
        try await DBusPeer.with { peer in
            let answer = try await peer.call("Secrets", [.emptyArray(of: "o")])
            #expect(answer == [.dictionary([:])])
            #expect(await peer.said() == "paths 0")
        }
    }

    @Test func `object paths go as an array, and a dictionary of structs comes back`() async throws {
        let expected = DBusValue.structure([.objectPath("/a"), .bytes([1]), .bytes([2, 3]), .string("text/plain")])
        try await DBusPeer.with { peer in
            let answer = try await peer.call("Secrets", [.array([.objectPath("/a"), .objectPath("/b")])])
            #expect(answer.first?.dictionaryValue?.count == 2)
            #expect(answer.first?.dictionaryValue?["/a"] == expected)
            #expect(await peer.said() == "paths 2 /a /b")
        }
    }

    @Test(arguments: [[:], ["site": "example.com", "ü": "…"]] as [[String: String]])
    func `a dictionary of strings is not a dictionary of variants`(strings: [String: String]) async throws {
        try await DBusPeer.with { peer in
            let answer = try await peer.call("Attributes", [.strings(strings)])
            #expect(answer == [.dictionary(strings.mapValues(DBusValue.string))])
            let said = strings.keys.sorted().map { " \($0)=\(strings[$0] ?? "")" }.joined()
            #expect(await peer.said() == "attributes" + said)
        }
    }

    @Test func `polkit's question and its answer are made of these types`() async throws {
        let subject: [String: DBusValue] = ["pid": .uint32(1), "start-time": .uint64(2), "uid": .int32(3)]
        try await DBusPeer.with { peer in
            let answer = try await peer.call(
                "Check",
                [
                    .structure([.string("unix-process"), .dictionary(subject)]), .string("org.example.do"),
                    .strings(["a": "b"]), .uint32(1), .string("c"),
                ])
            #expect(answer == [.structure([.bool(true), .bool(false), .dictionary(["a": .string("b")])])])
            #expect(await peer.said() == "check unix-process 1 2 3 org.example.do 1 c")
        }
    }

    @Test func `structs nested beyond the bounds are refused`() async throws {
        try await DBusPeer.with { peer in
            do {
                try await peer.call("Deep", [])
                Issue.record("it was read")
            } catch let error as DBusError {
                #expect(error.code == .tooLarge)
            }
        }
    }

    @Test func `the text of a refusal is one short line that steers no terminal`() async throws {
        try await DBusPeer.with { peer in
            do {
                try await peer.call("Refuse")
                Issue.record("it was not refused")
            } catch let error as DBusError {
                #expect(error.reason.hasPrefix("Refuse was refused: org.example.Refused: no [2J   way!!!"))
                #expect(error.reason.count < 400)
            }
        }
    }

    /// The bus distinguishes a name without an owner from one that it looked for among the services to start.
    @Test(arguments: [false: DBusError.Name.nameHasNoOwner, true: DBusError.Name.serviceUnknown])
    func `the bus is asked to start a service only if the call says so`(startsService: Bool, name: String) async throws
    {
        try await DBusPeer.with { peer in
            do {
                try await peer.callAbsent(startsService: startsService)
                Issue.record("a service answered")
            } catch let error as DBusError {
                #expect(error == DBusError(.refused, reason: "", name: name))
            }
        }
    }
}
