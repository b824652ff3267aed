import BluetoothLE
import CommandLine
import Foundation
import HybridProtocol
import HybridTransport
import LinuxSupport
import Testing
import UserVerification
import Vault

@testable import DesktopAuthenticator
@testable import hybrid

/// A result as a line for people, and as one for programs.
@Suite("A result of a check")
struct CheckLineTests {
    private static func line(
        _ result: CheckResult, _ name: CheckName = .vault, of service: TunnelTarget.Name? = nil,
        for roles: Set<DoctorRole> = [.authenticator]
    ) -> CheckLine {
        CheckLine(Check(name, for: roles, of: service) { result }, result)
    }

    @Test("is one line: grade, check, observation, and what to do")
    func forPeople() {
        #expect(
            Self.line(.fine(.noVaultYet)).line.english
                == "fine         vault                           none yet; the first passkey makes one")
        #expect(
            Self.line(.warning(.terminal(Self.smallTerminal), .enlargeTerminal), .terminal).line.english
                == "warning      terminal                        40 columns and 20 lines, but a QR code needs 45 and 26; "
                + "hint: make it larger, or give --qr png:FILE")
        #expect(
            Self.line(.broken(.unresolved, .checkName), .tunnelName, of: .domain(1)).line.english
                == "broken       tunnel name, domain 1           the name has no address; hint: check the network, the "
                + "DNS server, and the name")
        #expect(
            Self.line(.notChecked(.dependsOn(.systemBus)), .bluetoothService).line.english
                == "not checked  bluetooth service               depends on: system bus")
        #expect(
            Self.line(.notChecked(.noServiceGiven), .tunnelName, of: .given).line.english.contains(
                "tunnel name, --tunnel"))
    }

    @Test("is one object for programs")
    func forPrograms() throws {
        let result = CheckResult.broken(.vaultFailed(.exposed), .vault(.exposed))
        let json = try object(Self.line(result, of: .domain(7), for: [.authenticator, .client]))
        #expect(json["event"] as? String == "check" && json["check"] as? String == "vault")
        #expect(json["roles"] as? [String] == ["client", "authenticator"] && json["service"] as? String == "7")
        #expect(json["result"] as? String == "broken" && json["cause"] as? String == "exposed")
        #expect(json["remedy"] as? String == "vault-exposed")
        #expect(json["hint"] as? String == "chmod 600 the vault, and consider whether its passphrase is still secret")
        let fine = try object(Self.line(.fine(.noVaultYet)))
        #expect(fine["remedy"] == nil && fine["hint"] == nil && fine["service"] == nil)
    }

    @Test("has a name for programs and one line for people, whatever was seen", arguments: observations)
    func observation(_ observation: CheckObservation) {
        #expect(observation.code.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil, "\(observation.code)")
        check(observation.text.english)
    }

    @Test("says one thing to do, whatever is broken", arguments: remedies)
    func remedy(_ remedy: Remedy) {
        #expect(remedy.code.wholeMatch(of: #/[a-z0-9]+(-[a-z0-9]+)*/#) != nil, "\(remedy.code)")
        check(remedy.text.english)
    }

    /// A sentence of a line.
    private func check(_ text: String) {
        #expect(!text.isEmpty && !text.contains("\n") && !text.hasSuffix("."), "\(text)")
        #expect(text.first?.isUppercase == false || text.hasPrefix("BlueZ"), "\(text)")
    }

    private func object(_ line: CheckLine) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.json.text().utf8)) as? [String: Any])
    }

    private static let smallTerminal = TerminalState(size: (40, 20), showsPictures: true, needed: (45, 26))

    private static let observations: [CheckObservation] =
        [
            .noAnswer, .otherRadio, .offline, .noServiceGiven, .noSandbox, .busAnswers, .bluetoothRuns(version: nil),
            .bluetoothRuns(version: "5.66"), .adapterOn(name: "hci0", count: 1), .adapterOn(name: "hci0", count: 2),
            .unblocked, .blocked(nil), .blocked(.soft), .blocked(.hard), .hasLowEnergy, .instances(free: 3, active: 1),
            .scanned(byOthers: true), .scanned(byOthers: false), .heard(fido: 0, google: 0, nearbyPresence: 0),
            .heard(fido: 1, google: 2, nearbyPresence: 3), .fingerEnrolled, .polkitAsks, .agentUnknown, .noVaultYet,
            .vault(passphrase: true, keyring: true), .vault(passphrase: true, keyring: false),
            .vault(passphrase: false, keyring: true), .vaultFolderOpen, .verifiedBy([.polkit]),
            .verifiedBy(VerificationMethod.allCases), .nothingVerifies, .programs(["zbarimg"]),
            .programs(["zbarimg", "zbarcam"]), .missing(["zbarcam"]), .screenshot(.noScreen),
            .screenshot(.missing(["grim"])), .screenshot(.program("grim")), .portal(version: nil), .portal(version: 2),
            .noPortal, .terminal(smallTerminal),
            .terminal(TerminalState(size: nil, showsPictures: true, needed: (45, 26))),
            .terminal(TerminalState(size: (80, 40), showsPictures: false, needed: (45, 26))), .openFiles(1_024),
            .keyBroker, .keyWithoutBroker, .noKeyBroker, .noUHID, .noKeyRule,
            .resolves, .unresolved, .connects, .server(.unreachable, status: nil),
            .server(.upgradeRefused, status: 404),
            .server(.webSocketViolation, status: nil), .noTLS, .certificate(daysLeft: 0), .certificate(daysLeft: 1),
            .expired(days: 2), .notYetValid(days: 3), .otherName, .untrusted, .clock(seconds: 0), .clock(seconds: -61),
            .noDate, .opened(milliseconds: 5), .relayed(milliseconds: 6, unknownTunnel: 404),
            .relayed(milliseconds: 6, unknownTunnel: nil), .notRelayed, .contactSide, .noContactSide,
        ] + CheckName.allCases.map { .dependsOn($0) } + radioCodes.map { .radio($0) }
        + verificationCodes.map { .verification($0) } + vaultCodes.map { .vaultFailed($0) }

    private static let remedies: [Remedy] =
        [
            .startAgain, .unblock, .flipSwitch, .setUpVerification, .makeDefaultKeyring, .unlockKeyring, .startKeyring,
            .closeFolder, .installZbar, .install("import"), .useDesktopSession, .enlargeTerminal,
            .useOtherTerminal, .raiseOpenFiles, .installKeyRule, .checkName, .checkNetwork, .renewCertificate,
            .setClock, .trustAuthority, .checkService, .addContactSide,
        ] + radioCodes.map { .radio($0) } + vaultCodes.map { .vault($0) }
        + verificationCodes.flatMap { [.verification($0), .verificationSetUp($0)] }

    private static let radioCodes: [RadioError.Code] = [
        .absent, .noSystemBus, .sandboxed, .noService, .serviceLost, .unresponsive, .invalidReply, .notPermitted,
        .poweredOff, .blocked, .noLowEnergy, .noInstance, .busy, .noCapability, .noKernelSupport, .addressInUse,
        .failed,
    ]
    private static let verificationCodes: [VerificationError.Code] = [
        .noService, .noDevice, .notEnrolled, .notInstalled, .notPermitted, .notAsked, .untrustedService,
        .tooManyAttempts, .deviceBusy, .timeout, .declined,
    ]
    private static let vaultCodes: [VaultError.Code] = [
        .exposed, .wrongOwner, .notAFile, .damaged, .newerVersion, .costly, .noDirectory, .inputOutput,
    ]
}
