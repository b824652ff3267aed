import Glibc
import Testing

@testable import KeyBroker

/// Files of a test, gone with it.
final class TemporaryFolder: Sendable {
    let path = "/tmp/hybrid-broker-\(UInt64.random(in: 0 ... .max))"

    init() throws { try #require(mkdir(path, 0o755) == 0) }

    deinit { system("rm -rf \(path)") }

    func write(_ name: String, _ text: String) throws {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try #require(file >= 0 && Glibc.write(file, text, text.utf8.count) == text.utf8.count && close(file) == 0)
    }

    /// Has a user sit at the screen.
    func seat(_ user: UInt32) throws {
        try write("\(user)", "NAME=u\(user)\nSTATE=active\nSESSIONS=2\nACTIVE_SEATS=seat0\n")
    }
}

@Suite("The broker's admission") struct BrokerAdmissionTests {
    private static let table = "mal:100000:65536\n1001:300000:10\nghost:400000:65536\n"
    private static let names = "root:x:0:0::/root:/bin/sh\nmal:x:1002:1002::/home/mal:/bin/sh\n"
    private let folder: TemporaryFolder
    private let start = ContinuousClock.now

    init() throws {
        folder = try TemporaryFolder()
        for user: UInt32 in [1_000, 1_001, 1_002] { try folder.seat(user) }
    }

    private func admission(group: UInt32? = nil) -> BrokerAdmission {
        BrokerAdmission(
            for: BrokerUsers(sessions: folder.path, group: group) {
                SubordinateUsers(table: Array(Self.table.utf8), names: Array(Self.names.utf8))
            })
    }

    private func refusal(
        _ admission: inout BrokerAdmission, _ user: UInt32, groups: [UInt32] = [], after seconds: Int = 0
    ) -> BrokerNotice? {
        do throws(BrokerRefusal) {
            _ = try admission.admit(BrokerCaller(user: user, groups: groups), at: start + .seconds(seconds))
            return nil
        } catch {
            return error.notice
        }
    }

    @Test("takes those who sit at a screen, and nobody else")
    func sessions() throws {
        var admission = admission()
        #expect(refusal(&admission, 1_000) == nil)
        try folder.write("1003", "NAME=far\nSTATE=active\nSESSIONS=3\nACTIVE_SESSIONS=3\nSEATS=\nACTIVE_SEATS=\n")
        try folder.write("1004", "NAME=away\nSTATE=online\nSEATS=seat0\nONLINE_SEATS=seat0\n")
        try folder.write("1005", "ACTIVE_SEATS=seat0\n" + String(repeating: "A", count: 1 << 15))
        for user: UInt32 in [33, 1_003, 1_004, 1_005, 65_534, .max] {
            #expect(refusal(&admission, user) == .notPermitted, "\(user)")
        }
        #expect(throws: BrokerRefusal(.notPermitted, reason: "no key is made for this caller")) {
            try admission.admit(nil, at: start)
        }
    }

    @Test("takes those of the group wherever they are")
    func group() throws {
        var admission = admission(group: 77)
        #expect(refusal(&admission, 33, groups: [33, 77]) == nil)
        #expect(refusal(&admission, 34, groups: [34]) == .notPermitted)
        #expect(refusal(&admission, 65_534, groups: [77]) == .notPermitted)
        try folder.write("group", "root:x:0:\nkeys:x:77:alice,bob\nodd\n")
        #expect(BrokerUsers.group("keys", in: folder.path + "/group") == 77)
        #expect(BrokerUsers.group("78", in: folder.path + "/group") == 78)
        for name in ["key", "odd", "", "nobody"] { #expect(BrokerUsers.group(name, in: folder.path + "/group") == nil) }
    }

    @Test("gives a user four keys, with all the names that the user has")
    func names() throws {
        var admission = admission()
        #expect(refusal(&admission, 1_002) == nil)
        for user: UInt32 in [100_000, 100_004, 165_535] { #expect(refusal(&admission, user) == nil) }
        for user: UInt32 in [1_002, 100_000, 100_005] { #expect(refusal(&admission, user) == .tooMany) }
        #expect(refusal(&admission, 300_009) == nil)
        #expect(try admission.admit(BrokerCaller(user: 300_000), at: start) == 1_001)
        // Of nobody, and of somebody who is not here.
        for user: UInt32 in [99_999, 165_536, 400_000, 465_535] { #expect(refusal(&admission, user) == .notPermitted) }
        admission.end(1_002)
        #expect(refusal(&admission, 100_005) == nil)
    }

    @Test("gives a user so many keys at once, and one more each second")
    func often() {
        var admission = admission()
        func ask(_ user: UInt32, after seconds: Int) -> BrokerNotice? {
            let notice = refusal(&admission, user, after: seconds)
            if notice == nil { admission.end(1_002) }
            return notice
        }
        for number in 0..<BrokerAdmission.burst { #expect(ask(100_000 + UInt32(number), after: 0) == nil) }
        #expect(ask(100_000, after: 0) == .tooOften)
        #expect(refusal(&admission, 1_000) == nil)
        #expect(ask(1_002, after: 1) == nil)
        #expect(ask(165_535, after: 1) == .tooOften)
        // However long ago it was.
        for number in 0..<BrokerAdmission.burst { #expect(ask(100_000 + UInt32(number), after: 100_000) == nil) }
        #expect(ask(1_002, after: 100_000) == .tooOften)
    }

    @Test("reads odd tables, none of which opens a way around")
    func tables() {
        let table = Array(
            """
            # no range
            a:b
            5:10:0
            6:x:3
            7:4294967290:100
            1:100:10
            2:105:10
            3:108:2
            4:99999999999:1
            """.utf8)
        let users = SubordinateUsers(table: table, names: [])
        #expect([99, 100, 109].map { users.owner(of: $0) } == [99, 1, 1])
        #expect([110, 114, 115].map { users.owner(of: $0) } == [2, 2, 115])
        #expect([4_294_967_289, 4_294_967_290, .max].map { users.owner(of: $0) } == [4_294_967_289, 7, 7])
        #expect(users.owner(of: 10) == 10)
    }

    @Test("refuses all where the tables cannot be read")
    func unreadable() throws {
        #expect(SubordinateUsers(table: folder.path + "/none", names: "/nonexistent")?.owner(of: 5) == 5)
        try folder.write("long", String(repeating: "1:2:3\n", count: 1 << 18))
        #expect(SubordinateUsers(table: folder.path + "/long") == nil)
        #expect(SubordinateUsers(table: folder.path + "/1000", names: folder.path + "/none") == nil)
        var admission = BrokerAdmission(for: BrokerUsers(sessions: folder.path) { nil })
        #expect(refusal(&admission, 1_000) == .failed)
    }
}
