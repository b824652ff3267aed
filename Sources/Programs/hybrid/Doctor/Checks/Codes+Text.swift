import HybridProtocol
import HybridTransport
import LinuxSupport
import UserVerification
import Vault

// The codes of errors in words, without anything that an error's own reason may name.

extension RadioErrorCode {
    var text: Sentence {
        switch self {
        case .absent: "there is no such Bluetooth adapter"
        case .noSystemBus: "there is no system bus at its address"
        case .sandboxed: "a sandbox or container keeps the system bus from this process"
        case .noService: "bluetoothd does not run"
        case .serviceLost: "bluetoothd ended during the check"
        case .unresponsive: "bluetoothd does not answer"
        case .invalidReply: "bluetoothd violates its interface"
        case .notPermitted: "this user may not use it"
        case .poweredOff: "the adapter is powered off"
        case .blocked: "rfkill blocks the adapter"
        case .noLowEnergy: "the adapter does not support Bluetooth Low Energy"
        case .noInstance: "all advertising instances of the adapter are in use"
        case .busy: "the adapter stayed busy"
        case .noCapability: "this process lacks the capability CAP_NET_ADMIN"
        case .noKernelSupport: "the kernel has no Bluetooth, or does not offer it to this container"
        case .addressInUse: "another process has the radio's address"
        default: "it failed (\(rawValue))"
        }
    }
}

extension VerificationErrorCode {
    var text: Sentence {
        switch self {
        case .noService: "it does not run, and cannot be started"
        case .noDevice: "there is no reader"
        case .notEnrolled: "this user has no finger enrolled"
        case .notInstalled: "polkit does not know the action of hybrid"
        case .notPermitted: "it refuses this user; polkit's policy does not name the user, or a rule denies it"
        case .notAsked: "it would approve without asking: by a rule, by a kept answer, or because this user is root"
        case .untrustedService: "its bus name is owned by an unexpected user"
        case .tooManyAttempts: "too many verifications have failed; it is blocked for a while"
        case .deviceBusy: "another program uses the reader"
        case .timeout: "it does not answer"
        default: "it failed (\(rawValue))"
        }
    }
}

extension VaultErrorCode {
    var text: Sentence {
        switch self {
        case .exposed: "others may read or write the file"
        case .wrongOwner: "the file belongs to another user"
        case .notAFile: "it is not a regular file"
        case .damaged: "the file is damaged"
        case .newerVersion: "a newer version of hybrid made it"
        case .costly: "the file is malicious"
        case .noDirectory: "there is no directory for it: HOME is not set"
        default: "the file cannot be read (\(rawValue))"
        }
    }
}

extension SecretService.State {
    var text: Sentence {
        switch self {
        case .noBus: "there is no session bus; a vault with a passphrase needs none"
        case .absent: "the session has none; a vault with a passphrase needs none"
        case .startable: "it does not run, and is started when it is needed"
        case .noDefault: "it has no default collection"
        case .locked: "it is locked, and will ask you"
        case .unlocked: "it is unlocked"
        case .failed: "it does not answer like a keyring"
        }
    }
}

extension DataChannelError.Code {
    var text: Sentence {
        switch self {
        case .unreachable: "nothing answers there"
        case .timeout: "no answer in time"
        case .proxyFailed: "the proxy cannot be used, or does not connect to it"
        case .tlsFailed: "there is no TLS"
        case .connectionLost: "the connection ended before the answer"
        case .upgradeRefused: "the server does not answer like a tunnel service"
        case .subprotocolMissing: "the server opens WebSockets, but without the subprotocol of tunnels"
        case .tooManyRequests: "it received too many requests from here"
        case .webSocketViolation: "its frames violate the WebSocket protocol"
        case .unavailable: "it is overloaded or under maintenance"
        case .redirectRefused: "it redirects in a way that is not followed"
        default: "it failed (\(rawValue))"
        }
    }
}
