internal import HybridProtocol
internal import HybridTransport

/// Looks for the side of a tunnel service over which linked clients wake authenticators (TS-CON-1, TS-CON-8).
enum ContactProbe {
    private static let limit = Duration.seconds(4)
    private static let notFound = 404

    /// True if the service has a contact side.
    ///
    /// - Throws: ``DataChannelError`` if it does not behave as either kind does.
    static func hasContactSide(_ target: TunnelTarget) async throws(DataChannelError) -> Bool {
        let outcome = await within(limit) { () -> Result<Bool, DataChannelError> in
            do throws(DataChannelError) { return .success(try await look(target)) } catch { return .failure(error) }
        }
        guard let outcome else { throw DataChannelError(.timeout, reason: "no answer in time") }
        return try outcome.get()
    }

    private static func look(_ target: TunnelTarget) async throws(DataChannelError) -> Bool {
        let opened: OpenedTunnel
        do throws(DataChannelError) {
            opened = try await target.opener.open(.listen(at: target.service))
        } catch {
            guard error.httpStatus == notFound else { throw error }
            return false
        }
        let message: Result<[UInt8], DataChannelError>
        do throws(DataChannelError) {
            message = .success(try await opened.channel.receive())
        } catch {
            message = .failure(error)
        }
        await opened.channel.close()
        guard case .hello? = try? ServiceMessage(decoding: message.get()) else {
            throw DataChannelError(.framingViolation, reason: "the service says no hello")
        }
        return true
    }
}
