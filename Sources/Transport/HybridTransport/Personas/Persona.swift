internal import CPersonas
internal import Encodings

/// The role of a device that is emulated.
package enum PersonaRole: String, Sendable, CaseIterable {
    case authenticator, client
    case tunnelService = "tunnel-service"
}

/// A behaviour in which a device differs from another that keeps to the same rules.
///
/// The knowledge of it is not this project's: `source` says whose.
package struct Quirk: Sendable, Hashable {
    /// Confidence in a quirk.
    package enum Certainty: String, Sendable {
        /// Read in the device's own code, or measured.
        case firstHand = "first-hand"
        /// Somebody's report.
        case secondHand = "second-hand"
    }

    /// The name, which is unique in a role: `no-suffix`.
    package let id: String
    package let role: PersonaRole
    /// One sentence.
    package let does: String
    /// The URL of the public source.
    package let source: String
    package let certainty: Certainty
    /// The ID of a rule, or the first cell of a row of the article ImplementationBehaviour.
    package let see: String
}

/// An emulated device: a list of quirks. It describes devices of its kind, and no particular one.
package struct Persona: Sendable, Hashable {
    /// The name, which is unique in a role: `android-16`.
    package let name: String
    package let role: PersonaRole
    /// The device, for people.
    package let like: String
    /// The quirks by name.
    package let quirks: [String]
}

/// The quirks and personas that there are: those of `personas.json` when this was compiled.
package enum PersonaCatalogue {
    /// All quirks, role by role.
    package static let quirks: [Quirk] = (file?["quirks"]?.arrayValue ?? []).compactMap(Quirk.init)
    /// All personas, role by role.
    package static let personas: [Persona] = (file?["personas"]?.arrayValue ?? []).compactMap(Persona.init)

    private static let file: JSONValue? = {
        let text = UnsafeBufferPointer(start: hybrid_personas_text(), count: hybrid_personas_byte_count())
        return try? JSONValue(parsing: text.span)
    }()

    /// The personas of a role.
    package static func personas(_ role: PersonaRole) -> [Persona] { personas.filter { $0.role == role } }

    /// The quirks of a role.
    package static func quirks(_ role: PersonaRole) -> [Quirk] { quirks.filter { $0.role == role } }
}

extension Quirk {
    /// Reads a quirk; nil unless it has each member.
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.stringValue, let role = json["role"]?.stringValue.flatMap(PersonaRole.init),
            let does = json["does"]?.stringValue, let source = json["source"]?.stringValue,
            let certainty = json["certainty"]?.stringValue.flatMap(Certainty.init), let see = json["see"]?.stringValue
        else { return nil }
        self.init(id: id, role: role, does: does, source: source, certainty: certainty, see: see)
    }
}

extension Persona {
    /// Reads a persona; nil unless it has each member.
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.stringValue, let role = json["role"]?.stringValue.flatMap(PersonaRole.init),
            let like = json["like"]?.stringValue, let quirks = json["quirks"]?.arrayValue
        else { return nil }
        self.init(name: name, role: role, like: like, quirks: quirks.compactMap(\.stringValue))
    }
}
