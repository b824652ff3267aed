import CommandLine
import LinuxSupport
import TunnelService

extension TunnelServiceErrorCode: ExplainedCode {
    /// A tunnel service that cannot start.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .invalidCertificate:
            (.file, "check --certificate and --key: PEM files that belong together, the key without a passphrase")
        case .exposedKey: (.file, "chmod 600 the file given with --key, and consider whether the key is still secret")
        case .plainNotAllowed:
            (.usage, "give --certificate and --key; or --behind-proxy --trusted-proxy, if a proxy terminates TLS")
        case .exposedAdmin: (.usage, "give an address of loopback or the path of a socket; or --admin-exposed")
        case .routingIDTaken: (.usage, "give each node a --routing-id of its own")
        case .noHostName: (.usage, "give the service's name as --host-name")
        case .noContactSecret: (.usage, "give every node the same --contact-secret")
        case .invalidLimits: (.usage, "see --help for the limits and their defaults")
        case .cannotListen:
            (.failure, "check --listen: the address must belong to this machine")
        case .cannotListenForAdmin:
            (.failure, "give --admin a free port on loopback, or a short path in an existing directory")
        case .portInUse: (.failure, "give another port with --listen; ss -ltnp shows which process uses this one")
        case .portNotPermitted:
            (
                .failure,
                "ports below 1024 need CAP_NET_BIND_SERVICE, which AmbientCapabilities= of a systemd unit grants; "
                    + "or give another port with --listen"
            )
        default: (.failure, Hint.report)
        }
    }
}

extension NATSErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .noLibrary: (.usage, "install libnats (Debian's package libnats3.4, or of a newer version)")
        case .unusable: (.usage, "check --nats and its related options")
        }
    }
}
