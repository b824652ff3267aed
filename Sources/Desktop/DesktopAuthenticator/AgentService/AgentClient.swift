package import LinuxSupport

/// A connection to the agent, for commands that use it.
package struct AgentClient: Sendable {
    private let connection: DBusConnection
    private let owner: String
    /// The agent's state when it was found.
    package let status: AgentStatus

    /// Finds the agent, runs `body` with it, and closes the connection.
    ///
    /// - Parameters:
    ///   - address: the bus.
    ///   - starting: true to let the bus start an agent if none runs.
    /// - Throws: ``AgentRefusal`` `no-agent` or `other-version`; ``AgentFailure``; `DBusError`; the errors of `body`.
    package static func with<Value: Sendable>(
        at address: DBusAddress, starting: Bool, _ body: (AgentClient) async throws -> Value
    ) async throws -> Value {
        let connection = try await DBusConnection.open(address) { _ in }
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(try await AgentClient(connection, starting: starting)))
        } catch let error as DBusError where error.name == DBusError.Name.nameHasNoOwner {
            outcome = .failure(ended)
        } catch let error as DBusError {
            outcome = .failure(AgentFailure(error) ?? error)
        } catch {
            outcome = .failure(error)
        }
        await connection.close()
        return try outcome.get()
    }

    private init(_ connection: DBusConnection, starting: Bool) async throws {
        self.connection = connection
        let name = DBusBus.call("GetNameOwner", [.string(AgentBus.name)])
        let found: String?
        do throws(DBusError) {
            found = try await connection.call(name, within: AgentBus.answerLimit).first?.stringValue
        } catch {
            guard error.name == DBusError.Name.nameHasNoOwner else { throw error }
            guard starting else { throw AgentRefusal(.notRunning, reason: "no agent runs") }
            do throws(DBusError) {
                try await connection.call(
                    DBusBus.call("StartServiceByName", [.string(AgentBus.name), .uint32(0)]))
                found = try await connection.call(name, within: AgentBus.answerLimit).first?.stringValue
            } catch {
                throw AgentRefusal(.notRunning, reason: "no agent runs, and none could be started: \(error.reason)")
            }
        }
        guard let found else { throw AgentRefusal(.notRunning, reason: "no agent runs") }
        owner = found
        let getAll = DBusCall(
            "GetAll", of: "org.freedesktop.DBus.Properties", at: AgentBus.path, in: found, [.string(AgentBus.name)])
        let properties: [DBusValue]
        do throws(DBusError) {
            properties = try await connection.call(getAll, within: AgentBus.answerLimit)
        } catch {
            // It may end at any time, also between the question for its name and this one's answer.
            throw Self.endings.contains(error.name) ? Self.ended : error
        }
        status = try AgentStatus(properties.first?.dictionaryValue ?? [:])
    }

    private static let ended = AgentRefusal(.notRunning, reason: "the agent has just ended")
    /// The bus's errors for a service that has left it.
    private static let endings: Set<String?> = [
        DBusError.Name.nameHasNoOwner, DBusError.Name.serviceUnknown, DBusError.Name.noReply,
    ]

    /// Opens the vault for a time. The agent asks for the passphrase.
    package func unlock(for seconds: UInt32) async throws {
        try await call("Unlock", [.uint32(seconds)], within: AgentBus.askingLimit)
    }

    /// Locks the vault.
    package func lock() async throws { try await call("Lock") }

    /// Ends the agent.
    package func stop() async throws {
        do {
            try await call("Stop")
        } catch let error as DBusError where error.name == DBusError.Name.noReply {
            // It has ended, before its answer was sent.
        }
    }

    /// The passkeys of the vault that the agent holds open, those in use first.
    ///
    /// - Throws: ``AgentFailure`` of `agent-locked`; ``AgentRefusal`` `other-version`.
    package func passkeys() async throws -> [PasskeyMetadata] {
        guard case .array(let values)? = try await call("ListPasskeys").first else { throw Self.senseless }
        return try values.map { value in
            guard let passkey = PasskeyMetadata(value) else { throw Self.senseless }
            return passkey
        }
    }

    /// Lets the agent answer a QR code. It asks the user everything.
    ///
    /// - Returns: a sentence on the outcome.
    package func answer(_ code: String, from source: AgentWork.CodeSource) async throws -> String {
        let call = try await call(
            "AnswerCode", [.string(code), .string(source.rawValue)], within: AgentBus.askingLimit)
        guard let outcome = call.first?.stringValue else { throw Self.senseless }
        return outcome
    }

    @discardableResult
    private func call(
        _ member: String, _ body: [DBusValue] = [], within limit: Duration = AgentBus.answerLimit
    ) async throws -> [DBusValue] {
        try await connection.call(
            DBusCall(member, of: AgentBus.name, at: AgentBus.path, in: owner, body), within: limit)
    }

    private static let senseless = AgentRefusal(.otherVersion, reason: "the running agent is of another version")
}
