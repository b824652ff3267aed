// The broker of security keys: makes one for each caller who may have one, and has a process carry its reports.
//
//     hybrid-key-broker [GROUP]
//
// systemd starts it, as root, with the first caller of /run/hybrid/key.socket: see tools/installed/systemd. It answers
// all callers: users who sit at a screen of this machine, and those of the group that is given. It reads nothing that
// they send. For each key it starts a process, which makes one device with a fixed description for that user, gives up
// its rights, and passes on whole reports until the caller or the device ends.

import Glibc
import KeyBroker

func say(_ line: String) {
    let bytes = Array("hybrid-key-broker: \(line)\n".utf8)
    // Where the log is lost, this cannot be reported either.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Demands the three files that every process begins with: in the place of one that is closed, a caller or the device
/// would come to stand, and the log would be written into it.
func requireStandardFiles() throws(BrokerRefusal) {
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
        throw BrokerRefusal(.failed, reason: "the file \(file) is closed")
    }
}

/// Makes a caller's key and carries its reports: the work of a key's process.
func carry(_ socket: Int32, _ caller: BrokerCaller) {
    do throws(BrokerRefusal) {
        let relay = try BrokerRelay(between: socket, andDeviceOf: caller)
        try BrokerPrivileges.drop()
        say("made a key for the user \(caller.user)")
        if let reason = relay.run() { say("ended: \(reason)") }
    } catch {
        say("refused: \(error.reason)")
        var notice = error.notice.rawValue
        _ = send(socket, &notice, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
}

func group() throws(BrokerRefusal) -> UInt32? {
    guard let name = CommandLine.arguments.dropFirst().first else { return nil }
    guard let number = BrokerUsers.group(name) else {
        throw BrokerRefusal(.failed, reason: "/etc/group has no group \(name)")
    }
    return number
}

do throws(BrokerRefusal) {
    try requireStandardFiles()
    let group = try group()
    let users = BrokerUsers(group: group)
    let server = BrokerServer(
        listener: try BrokerProcess.passedListener(), admission: BrokerAdmission(for: users),
        find: { BrokerCaller(of: $0, asksForGroups: group != nil) },
        start: { (socket, caller) throws(BrokerRefusal) in
            try BrokerProcess.start(for: socket) { carry(socket, caller) }
        }, say: say)
    try server.run()
} catch {
    say("error: \(error.reason)")
    exit(1)
}
