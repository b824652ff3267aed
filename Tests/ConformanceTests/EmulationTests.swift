import Encodings
import HybridTransport
import Testing

@testable import Conformance

/// Emulated devices: a quirk that does nothing fails here, in each persona that has it.
@Suite("An emulated device", .timeLimit(.minutes(5)))
struct EmulationTests {
    /// A quirk of a persona.
    struct Part: Sendable, CustomTestStringConvertible {
        let persona: Persona
        let quirk: String
        var testDescription: String { "\(persona.name) with and without \(quirk)" }
    }

    static func parts(_ role: PersonaRole) -> [Part] {
        PersonaCatalogue.personas(role).flatMap { persona in persona.quirks.map { Part(persona: persona, quirk: $0) } }
    }

    /// The quirks of a persona, all and without one.
    static func quirks<Name: RawRepresentable & Hashable>(_ part: Part) throws -> (all: Set<Name>, less: Set<Name>)
    where Name.RawValue == String {
        let (name, role) = (part.persona.name, part.persona.role)
        return (try Name.quirks(like: name, in: role), try Name.quirks(like: name, without: [part.quirk], in: role))
    }

    @Test("shows a phone's quirk, and none where it is taken out", arguments: parts(.authenticator))
    func phone(_ part: Part) async throws {
        let quirks: (all: Set<PhoneQuirk>, less: Set<PhoneQuirk>) = try Self.quirks(part)
        let (observation, shown) = PhoneObservation.noticing(try #require(PhoneQuirk(rawValue: part.quirk)))
        #expect(try await observation.of(quirks.all) == shown)
        #expect(try await observation.of(quirks.less) != shown)
    }

    @Test("shows a client's quirk, and none where it is taken out", arguments: parts(.client))
    func client(_ part: Part) async throws {
        let quirks: (all: Set<ClientQuirk>, less: Set<ClientQuirk>) = try Self.quirks(part)
        let (observation, shown) = ClientObservation.noticing(try #require(ClientQuirk(rawValue: part.quirk)))
        #expect(try await observation.of(quirks.all) == shown)
        #expect(try await observation.of(quirks.less) != shown)
    }

    @Test("shows a service's quirk, and none where it is taken out", arguments: parts(.tunnelService))
    func service(_ part: Part) async throws {
        let quirks: (all: Set<ServiceQuirk>, less: Set<ServiceQuirk>) = try Self.quirks(part)
        let quirk = try #require(ServiceQuirk(rawValue: part.quirk))
        #expect(try await Self.shows(quirk, quirks.all) == true)
        #expect(try await Self.shows(quirk, quirks.less) == false)
    }

    @Test("knows a tunnel before its authenticator does: a client that comes at once finds it")
    func quickClients() async throws {
        let areServed = try await Self.serving([]) { context in
            for _ in 0..<100 { _ = try await context.tunnel() }
            return true
        }
        #expect(areServed)
    }

    /// True if a service with these quirks shows one of them.
    static func shows(_ quirk: ServiceQuirk, _ quirks: Set<ServiceQuirk>) async throws -> Bool {
        try await serving(quirks) { try await shows(quirk, quirks, $0) }
    }

    /// Looks at a running service with these quirks.
    private static func serving(
        _ quirks: Set<ServiceQuirk>, _ see: @escaping @Sendable (ServiceTestContext) async throws -> Bool
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            let ports = Mailbox<Int>()
            group.addTask {
                try await EmulatedService(quirks).run { ports.put($0) }
                return nil
            }
            group.addTask {
                let service = try ServiceSettings(
                    isSecure: false, host: "127.0.0.1", port: UInt16(try #require(try await ports.next())),
                    authorities: [], timeout: .seconds(30))
                let seen = Mailbox<Bool>()
                try await ServiceTestContext.with(service, record: CaseRecord()) { context in
                    seen.put(try await see(context))
                }
                return seen.takeAll().first
            }
            defer { group.cancelAll() }
            return try await group.next().flatMap { $0 } ?? false
        }
    }

    private static func shows(
        _ quirk: ServiceQuirk, _ quirks: Set<ServiceQuirk>, _ context: ServiceTestContext
    ) async throws -> Bool {
        let path = quirks.contains(.noNew) ? "custom" : "new"
        let id = Hexadecimal.encode([UInt8](repeating: 0xAB, count: 16), .upperCase)
        func status(_ change: (ServiceRequest) -> ServiceRequest) async throws -> Int {
            try await context.answer(to: change(context.request("/cable/\(path)/\(id)"))).head.status
        }
        func carries(_ messages: [[UInt8]]) async throws -> Bool {
            let tunnel = try await context.tunnel()
            for message in messages { await tunnel.client.send(message) }
            do { for _ in messages { _ = try await context.message(tunnel.authenticator) } } catch is WebSocketEnd
                .Closed
            {
                return false
            }
            return true
        }
        switch quirk {
        case .noNew: return try await context.answer(to: context.request("/cable/new/\(id)")).head.status == 404
        case .lowerCaseOnly: return try await status { $0 } == 400
        case .status400WithoutSubprotocol: return try await status { $0.with("Sec-WebSocket-Protocol") } == 400
        case .status403WithoutSubprotocol: return try await status { $0.with("Sec-WebSocket-Protocol") } == 403
        case .routingIDOfZeros: return try await context.authenticator().routingID == "000000"
        case .sixteenMessages: return try await !carries([[UInt8]](repeating: [1], count: 17))
        case .sixteenKiBMessages: return try await !carries([[UInt8](repeating: 1, count: 16_385)])
        }
    }

    @Test("is data: each quirk has a source, a switch, and a persona; each persona three quirks that no other has")
    func data() {
        let names = [
            PersonaRole.authenticator: PhoneQuirk.allCases.map(\.rawValue),
            .client: ClientQuirk.allCases.map(\.rawValue), .tunnelService: ServiceQuirk.allCases.map(\.rawValue),
        ]
        for role in PersonaRole.allCases {
            let quirks = PersonaCatalogue.quirks(role)
            let personas = PersonaCatalogue.personas(role)
            #expect(quirks.map(\.id).sorted() == names[role]?.sorted())
            #expect(Set(personas.flatMap(\.quirks)) == Set(quirks.map(\.id)))
            #expect(Set(personas.map { Set($0.quirks) }).count == personas.count)
            #expect(personas.allSatisfy { Set($0.quirks).count >= 3 })
            #expect(quirks.allSatisfy { $0.source.hasPrefix("https://") && $0.does.hasSuffix(".") })
        }
    }

    @Test("has no persona and no quirk of another name")
    func unknown() {
        #expect(throws: UnknownPersona.self) { try PhoneQuirk.quirks(like: "pixel", in: .authenticator) }
        #expect(throws: UnknownPersona.self) { try PhoneQuirk.quirks(like: nil, with: ["no-new"], in: .authenticator) }
    }
}
