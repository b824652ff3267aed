internal import LinuxSupport

/// fprintd's default reader, over a connection to the bus.
struct FingerprintReader: Sendable {
    /// fprintd, which runs as root.
    static let service = TrustedService("fprintd", name)
    private static let name = "net.reactivated.Fprint"
    private static let managerPath = "/net/reactivated/Fprint/Manager"
    private static let managerInterface = "net.reactivated.Fprint.Manager"
    private static let deviceInterface = "net.reactivated.Fprint.Device"
    /// fprintd's name for the calling user.
    private static let thisUser = ""
    private static let anyFinger = "any"
    /// Longest time for an answer, in which fprintd may have to open its device.
    private static let answerLimit = Duration.seconds(15)

    private let connection: DBusConnection
    /// The object of the device.
    let path: String
    /// fprintd's own name on the bus, by which its signals are known.
    let owner: String

    /// Finds the reader, and checks that this user has enrolled a finger.
    ///
    /// - Parameter service: fprintd, and who may run it.
    /// - Throws: ``VerificationError`` `no-device`, `not-enrolled`, `no-service`, `untrusted-service`, `not-permitted`,
    ///   `lost`, `service-failed` or `cancelled`.
    static func find(
        _ service: TrustedService, over connection: DBusConnection
    ) async throws(VerificationError) -> Self {
        let owner = try await service.owner(over: connection)
        do throws(DBusError) {
            let device = try await connection.call(
                DBusCall("GetDefaultDevice", of: managerInterface, at: managerPath, in: owner), within: answerLimit)
            guard let path = device.first?.pathValue else { throw wrongType("GetDefaultDevice") }
            try await connection.subscribe(
                to: "type='signal',sender='\(name)',interface='\(deviceInterface)',path='\(path)'")
            try await connection.subscribe(
                to: "type='signal',sender='\(DBusBus.name)',member='NameOwnerChanged',arg0='\(name)'")
            let reader = Self(connection: connection, path: path, owner: owner)
            let fingers = try await reader.call("ListEnrolledFingers", [.string(thisUser)])
            guard let fingers = fingers.first?.stringsValue else { throw wrongType("ListEnrolledFingers") }
            guard !fingers.isEmpty else {
                throw DBusError(.refused, reason: "none", name: "\(name).Error.NoEnrolledPrints")
            }
            return reader
        } catch {
            throw refusal(error)
        }
    }

    /// Claims the reader for this program.
    ///
    /// - Throws: ``VerificationError`` `device-busy`, and as ``find(_:over:)``.
    func claim() async throws(VerificationError) {
        do throws(DBusError) {
            try await call("Claim", [.string(Self.thisUser)])
        } catch {
            // The call may have been carried out although it was given up.
            if error.code == .cancelled || error.code == .timeout { await release() }
            throw Self.refusal(error)
        }
    }

    /// Begins to wait for a finger.
    ///
    /// - Throws: ``VerificationError`` as ``find(_:over:)``.
    func startVerifying() async throws(VerificationError) {
        do throws(DBusError) {
            try await call("VerifyStart", [.string(Self.anyFinger)])
        } catch {
            throw Self.refusal(error)
        }
    }

    /// No longer waits for a finger.
    func stopVerifying() async { await connection.tidy(call("VerifyStop")) }

    /// Releases the reader, whatever its state.
    func release() async {
        await stopVerifying()
        await connection.tidy(call("Release"))
    }

    /// The status in a signal; nil if there is none, or if it is not this reader's.
    func status(in signal: DBusMessage) -> (status: String, isDone: Bool)? {
        guard signal.sender == owner, signal.path == path, signal.interface == Self.deviceInterface,
            signal.member == "VerifyStatus", signal.body.count == 2, let status = signal.body[0].stringValue,
            let isDone = signal.body[1].boolValue
        else { return nil }
        return (status, isDone)
    }

    /// True if a signal of the bus reports that fprintd has ended, or was replaced.
    func isEnd(_ signal: DBusMessage) -> Bool {
        signal.sender == DBusBus.name && signal.member == "NameOwnerChanged"
            && signal.body.first?.stringValue == Self.name
    }

    @discardableResult
    private func call(_ member: String, _ body: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await connection.call(
            DBusCall(member, of: Self.deviceInterface, at: path, in: owner, body), within: Self.answerLimit)
    }

    private func call(_ member: String) -> DBusCall {
        DBusCall(member, of: Self.deviceInterface, at: path, in: owner)
    }

    private static func wrongType(_ member: String) -> DBusError {
        DBusError(.wrongType, reason: "\(member) returned an unexpected type")
    }

    private static func refusal(_ error: DBusError) -> VerificationError {
        switch error.name {
        case "\(name).Error.NoSuchDevice":
            VerificationError(.noDevice, reason: "there is no fingerprint reader")
        case "\(name).Error.NoEnrolledPrints":
            VerificationError(.notEnrolled, reason: "this user has no finger enrolled")
        case "\(name).Error.AlreadyInUse", "\(name).Error.ClaimDevice":
            VerificationError(.deviceBusy, reason: "another program uses the fingerprint reader")
        case "\(name).Error.PermissionDenied":
            VerificationError(.notPermitted, reason: "fprintd does not let this user verify")
        default: VerificationError(error, of: service.name)
        }
    }
}
