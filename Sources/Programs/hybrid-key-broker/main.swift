// The broker of security keys: makes one for the caller at the other end of standard input, and carries its reports.
//
//     hybrid-key-broker
//
// systemd starts it, as root, for each connection to /run/hybrid/key.socket, by hybrid-key@.service of
// tools/installed/systemd. It looks up who has called, makes one device with a fixed description for that user, gives
// up its rights, and passes on whole reports until the caller or the device ends. RUNTIME_DIRECTORY names a folder of
// its own, where it counts each user's keys.

import Glibc
import KeyBroker
import LinuxSupport

func say(_ line: String) {
    let bytes = Array("hybrid-key-broker: \(line)\n".utf8)
    // Where the log is lost, this cannot be reported either.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Demands the three files that every process begins with: in the place of one that is closed, the device or a user's
/// count would come to stand, and the log would be written into it.
func requireStandardFiles() throws(BrokerRefusal) {
    for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
        throw BrokerRefusal(.failed, reason: "the file \(file) is closed")
    }
}

func makeDevice(for caller: BrokerCaller) throws(BrokerRefusal) -> UHIDDevice {
    do throws(UHIDError) {
        return try UHIDDevice(.securityKey(of: caller.user))
    } catch {
        throw BrokerRefusal(error.code == .notAvailable ? .notAvailable : .failed, reason: error.reason)
    }
}

func serve(_ caller: Int32) throws(BrokerRefusal) {
    guard let folder = getenv("RUNTIME_DIRECTORY") else {
        throw BrokerRefusal(.failed, reason: "RUNTIME_DIRECTORY names no folder")
    }
    guard let user = BrokerCaller(of: caller), user.isPermitted else {
        throw BrokerRefusal(.notPermitted, reason: "no key is made for this caller")
    }
    let slot = try BrokerSlot(of: user.user, in: String(cString: folder))
    let device = try makeDevice(for: user)
    try BrokerPrivileges.drop()
    say("made a key for the user \(user.user)")
    if let reason = BrokerRelay(between: caller, and: device).run() { say("ended: \(reason)") }
    extendLifetime(slot)
}

do throws(BrokerRefusal) {
    try requireStandardFiles()
    try serve(STDIN_FILENO)
} catch {
    say("refused: \(error.reason)")
    var notice = error.notice.rawValue
    _ = send(STDIN_FILENO, &notice, 1, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    exit(1)
}
