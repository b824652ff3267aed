package import HybridProtocol
package import HybridTransport
package import LinuxSupport

// The words of the hints that libraries give as cases: one sentence each, lower case, without a full stop.

extension Advice {
    /// The advice in words.
    package var text: Sentence {
        switch self {
        case .startAgain: Hint.startAgain
        case .startBothAgain: "the other side left before the session was set up: start again on both devices"
        case .startClientAgain: "the client cancelled, or lost its network connection: start again on the client"
        case .sendCommand: "the client sent no request: start again on the client"
        case .blameOtherDevice:
            "start again; if it happens again, the other device is faulty"
        case .scanAgain: "scan the QR code again, or copy its whole text, which starts with FIDO:/"
        case .useOtherCommand:
            "for the code of a hand-over use hybrid passkeys send, for that of a sign-in hybrid authenticator answer"
        case .scanCurrentCode: "only other sessions' adverts were heard: scan the QR code that is on the screen now"
        case .useSameCode: "the other side has another QR code: start again with the code on the screen"
        case .checkBluetooth:
            "no hybrid advert was heard: check that the devices are near each other, and that Bluetooth works on both; "
                + "hybrid doctor checks this machine"
        case .checkClient:
            "no client connected: check that its Bluetooth is on, that it is near, and that it still shows its QR code"
        case .checkOtherDevice:
            "the other device stopped responding: check that it is still online, then start again"
        case .moveNearer: "bring the devices nearer to each other, or allow the tunnel: --channel any"
        case .useTunnel: "allow the tunnel too: --channel any"
        case .allowAllChannels: "allow all channels on both devices: --channel any"
        case .chooseComputedDomain: "give --tunnel-domain 256 or above, with which every client can reach you"
        case .checkRadio(let code): Hint.radio(RadioErrorCode(rawValue: code))
        case .checkNetwork:
            "check the network and the address of the tunnel service, and https_proxy if the network needs a proxy; "
                + "then start again"
        case .checkProxy: Hint.proxy
        case .useLocalProxy: Hint.localProxy
        case .checkTrust:
            "check the date of this machine; --ca FILE adds a test authority; hybrid doctor --tunnel URL says what is "
                + "wrong with the certificate"
        case .checkServiceName:
            "give --tunnel with the name in the certificate; behind a captive portal, sign in to it first"
        case .checkServicePort: "check --tunnel and its port: the server there does not speak TLS 1.2 or newer"
        case .showNewCode:
            "another device has answered this QR code: show a new one on the client; "
                + "if that device is not yours, another person can see the client's screen"
        case .correctTunnelAddress: "give --tunnel as wss://host[:port]"
        case .checkTunnelService:
            "the server did not answer like a tunnel service: check --tunnel; behind a captive portal, sign in to it "
                + "first"
        case .checkSilentService: "start again; if the service closes without an answer again, check --tunnel"
        case .waitForService: "the tunnel service is overloaded or under maintenance: wait a few minutes"
        case .checkConnection:
            "the connection broke without being closed: check the network, or over Bluetooth bring the devices nearer; "
                + "then start again"
        case .updateProgram: "update this program: the other device uses a tunnel service unknown to this version"
        case .chooseOtherAuthenticator: "choose another authenticator"
        case .sendOneMessage: "send one message at a time, of at least 1 byte and less than 1 MiB"
        case .approveInTime: "approve the request on the authenticator in time"
        case .checkAuthenticator: "the authenticator declined or cancelled, or lost its network connection"
        case .allowMoreTime: "start again; a longer --timeout gives people more time"
        case .linkFirst: "link a device first, by a QR code"
        case .askAgainOrUseCode:
            "the other device declined, or was busy: start again, or use a QR code"
        case .useCode: "use a QR code, which can link the devices again"
        case .listenOrUseCode: "let the other device listen for linked clients, or use a QR code"
        case .waitOrUseCode: "wait a few minutes, or use a QR code"
        case .checkCryptography: "check the OpenSSL installation"
        case .report: Hint.report
        }
    }
}

extension Hint {
    /// Hint for a radio that failed in a ceremony.
    fileprivate static func radio(_ code: RadioErrorCode) -> Sentence {
        switch code {
        case .absent: "switch Bluetooth on or plug in an adapter, then start again"
        case .invalidAddress: "check the address given with --radio"
        case .addressInUse: "end the other process that uses this radio, or give another address with --radio"
        case .notPermitted: "run this as a user who may use the radio"
        default: bluetooth(code) ?? "switch the radio off and on, then start again"
        }
    }

    /// Hint for a Bluetooth adapter that cannot be used; nil for codes that are not of Bluetooth.
    package static func bluetooth(_ code: RadioErrorCode) -> Sentence? {
        switch code {
        case .absent: "plug in a Bluetooth adapter, or choose another one: hybrid radio adapters"
        case .noSystemBus:
            "install and start D-Bus and BlueZ; in a container, give their system bus with --bluetooth-bus"
        case .sandboxed:
            "install and start D-Bus and BlueZ, and let the sandbox use the system bus (for Flatpak, "
                + "--system-talk-name=org.bluez)"
        case .noService: "start BlueZ: systemctl start bluetooth"
        case .serviceLost: "start again when BlueZ is back: systemctl status bluetooth"
        case .unresponsive: "restart BlueZ: systemctl restart bluetooth"
        case .busy: "wait for other Bluetooth programs to finish, then start again"
        case .invalidReply: "check what owns org.bluez on the system bus: busctl status org.bluez"
        case .notPermitted: "run this in the desktop's session, or as a member of the group bluetooth"
        case .noCapability: "run this as root, or give the program the capability: setcap cap_net_admin+ep"
        case .noKernelSupport: "load the kernel module: modprobe bluetooth; or run this outside the container"
        case .controllerUnresponsive: "unplug the adapter and plug it in again"
        case .invalidKernelReply: "this kernel's interface is not supported: give --radio bluez"
        case .poweredOff: "switch Bluetooth on, or give --power-on"
        case .blocked: "turn off aeroplane mode, or unblock the adapter: rfkill unblock bluetooth"
        case .noLowEnergy: "use an adapter with Bluetooth 4.0 or newer"
        case .noInstance: "end other programs that advertise, or choose another adapter with --adapter"
        case .advertTooLong: "use an adapter with extended advertising, or the WebSocket channel alone"
        case .failed: "switch Bluetooth off and on, then start again"
        default: nil
        }
    }
}
