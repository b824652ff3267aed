import CommandLine
import KeyPassthrough

extension Failure {
    /// A security key that cannot be passed through.
    init(_ error: KeyPassthroughError) {
        self.init(error.code.status, code: error.code.rawValue, cause: error.reason, hint: error.code.hint)
    }
}

extension KeyPassthroughError.Code {
    var status: ExitStatus {
        switch self {
        case .noKey, .notPermitted, .inUse, .removed, .fault: .failure
        case .severalKeys, .notAKey, .u2fOnly: .usage
        case .notTouched, .wrongPIN, .pinLocked, .pinBlocked, .notVerified, .refused: .declined
        }
    }

    /// One thing that the user can do.
    var hint: String {
        switch self {
        case .noKey: "plug a security key in, or give the path of its node, such as /dev/hidraw3"
        case .severalKeys: "touch one while they blink, or give the path of one: --security-key=PATH"
        case .notAKey: "give the node of a security key, such as /dev/hidraw3; without a path the only one is taken"
        case .notPermitted:
            "systemd gives a key to the user at the screen; elsewhere an administrator must, by a udev rule"
        case .inUse: "end the other program that uses the key, then start again on the client"
        case .u2fOnly: "take another security key: this one holds no passkeys"
        case .removed: "plug the key in again, then start again on the client"
        case .notTouched: "start again on the client, and touch the key while it blinks"
        case .fault: "plug the key in again; if it happens again, the key is faulty"
        case .wrongPIN: "unplug the key and plug it in again if it takes no PIN, then start again on the client"
        case .pinLocked: "unplug the key and plug it in again, then start again on the client"
        case .pinBlocked: "only a reset helps, which erases the passkeys of the key: fido2-token -R and its path"
        case .notVerified: "start again on the client, with a finger that the key knows"
        case .refused: "start again on the client if that was not intended"
        }
    }
}
