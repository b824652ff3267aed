package import LinuxSupport
internal import Synchronization

/// The desktop portal that takes pictures of the screen, after asking the user if the desktop does so.
///
/// It reads what kind of program calls it from `/proc`, and refuses one that is not dumpable. So a child calls it that
/// has no secrets: `hybrid portal-screenshot`.
///
/// Source: XDG Desktop Portal, org.freedesktop.portal.Screenshot, version 2; org.freedesktop.portal.Request.
package struct ScreenshotPortal: Sendable {
    private static let name = "org.freedesktop.portal.Desktop"
    private static let path = "/org/freedesktop/portal/desktop"
    private static let request = "org.freedesktop.portal.Request"
    private static let scheme = "file://"

    /// Exit status of the child if the user does not want a picture to be taken.
    package static let declinedStatus: Int32 = 12

    /// Failure of the portal.
    package enum Problem: Error, Sendable, Equatable {
        /// There is none, or it failed.
        case unavailable(String)
        /// The user does not want a picture to be taken.
        case declined
    }

    /// Takes a picture of the screen.
    ///
    /// - Parameters:
    ///   - address: the session bus.
    ///   - limit: the longest time for the desktop's question to the user.
    /// - Returns: the path of the picture.
    /// - Throws: ``Problem``.
    package static func picture(at address: DBusAddress, within limit: Duration) async throws -> String {
        let (responses, continuation) = AsyncStream<DBusMessage?>.makeStream(bufferingPolicy: .bufferingOldest(16))
        do {
            let connection = try await DBusConnection.open(address) { event in
                switch event {
                case .signal(let signal) where signal.interface == request && signal.member == "Response":
                    continuation.yield(signal)
                case .signal: break
                case .ended: continuation.yield(nil)
                }
            }
            let alarm = Task {
                try await Task.sleep(for: limit)
                continuation.yield(nil)
            }
            defer { alarm.cancel() }
            let outcome: Result<String, any Error>
            do {
                outcome = .success(try await picture(over: connection, responses))
            } catch {
                outcome = .failure(error)
            }
            await connection.close()
            return try outcome.get()
        } catch let error as DBusError {
            throw Problem.unavailable(error.reason)
        }
    }

    private static func picture(
        over connection: DBusConnection, _ responses: AsyncStream<DBusMessage?>
    ) async throws -> String {
        // Before the call: the answer can come before that of the call itself.
        try await connection.subscribe(to: "type='signal',sender='\(name)',interface='\(request)',member='Response'")
        let answer = try await connection.call(
            DBusCall(
                "Screenshot", of: "org.freedesktop.portal.Screenshot", at: path, in: name,
                [.string(""), .dictionary(["interactive": .bool(false)])], startsService: true))
        guard let handle = answer.first?.pathValue else { throw Problem.unavailable("it gives no request") }
        let owner = try await connection.call(DBusBus.call("GetNameOwner", [.string(name)])).first?.stringValue
        for await response in responses {
            guard let response else { throw Problem.unavailable("it did not answer in time") }
            guard response.path == handle, response.sender == owner, response.signature == "ua{sv}" else { continue }
            return try path(of: response.body[0].uint32Value, response.body[1].dictionaryValue ?? [:])
        }
        throw Problem.unavailable("cancelled")
    }

    /// The path in a response: 0 for success, 1 if the user has cancelled it.
    private static func path(of response: UInt32?, _ results: [String: DBusValue]) throws -> String {
        switch response {
        case 0:
            guard let uri = results["uri"]?.stringValue, let path = path(ofURI: uri) else {
                throw Problem.unavailable("it names no file")
            }
            return path
        case 1: throw Problem.declined
        default: throw Problem.unavailable("it could take no picture")
        }
    }

    /// The path of a file's URI (RFC 8089) of this machine; nil for anything else.
    static func path(ofURI uri: String) -> String? {
        guard uri.hasPrefix(scheme + "/") else { return nil }
        var bytes: [UInt8] = []
        var rest = uri.utf8.dropFirst(scheme.utf8.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(Substring(rest.prefix(2)))
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(where: { $0 < 0x20 }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
