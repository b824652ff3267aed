import ArgumentParser
import CommandLine
import Conformance
import Encodings
import HybridTransport
import LinuxSupport

/// The options of the commands that emulate a device: its persona, and its quirks.
struct EmulationOptions: ParsableArguments {
    @Option(help: .saying("The persona; without one, a device without quirks.", valueName: "persona"))
    var like: String?

    @Option(help: .saying("A further quirk; may be repeated.", valueName: "quirk"))
    var with: [String] = []

    @Option(
        help: .saying("A quirk of the persona to leave out; may be repeated.", valueName: "quirk")
    )
    var without: [String] = []

    @Flag(help: .saying("List personas and quirks with their sources, and exit."))
    var list = false

    /// The quirks.
    ///
    /// - Throws: ``Failure`` for a name that there is not.
    func quirks<Name: RawRepresentable & Hashable>(_ role: PersonaRole) throws -> Set<Name>
    where Name.RawValue == String {
        do throws(UnknownPersona) {
            return try Name.quirks(like: like, with: with, without: without, in: role)
        } catch {
            throw Failure.usage(
                "there is no \(error.name)", hint: "--list has them all: \(error.known.joined(separator: ", "))")
        }
    }

    /// Lists the personas and quirks of a role.
    func list(_ role: PersonaRole, _ reporter: Reporter) {
        for persona in PersonaCatalogue.personas(role) {
            reporter.write(
                Line(
                    "persona",
                    [
                        "name": persona.name, "role": role.rawValue, "like": persona.like,
                        "quirks": persona.quirks,
                    ]), orPrint: "\(persona.name): \(persona.like): \(persona.quirks.joined(separator: ", "))")
        }
        for quirk in PersonaCatalogue.quirks(role) {
            reporter.write(
                Line(
                    "quirk",
                    [
                        "id": quirk.id, "role": role.rawValue, "does": quirk.does, "source": quirk.source,
                        "certainty": quirk.certainty.rawValue, "see": quirk.see,
                    ]),
                orPrint: "\(quirk.id): \(quirk.does) (\(quirk.certainty.rawValue), \(quirk.see)) \(quirk.source)")
        }
    }
}

/// The tunnel service of an emulated device.
struct EmulatedTunnelOptions: ParsableArguments {
    @Option(
        help: .saying("The tunnel service: wss://HOST[:PORT], or ws:// for one without TLS.", valueName: "url"))
    var tunnel: String?

    @Option(
        help: .saying("A file of PEM certificates to trust in addition to the system's.", valueName: "file"),
        completion: .file())
    var ca: [String] = []

    /// - Throws: ``Failure`` for an address that is none.
    func settings() throws -> ServiceSettings {
        guard let tunnel else {
            throw Failure.usage("there is no tunnel service", hint: "give --tunnel wss://HOST[:PORT], such as your own")
        }
        return try ServiceSettings(tunnel, authorities: ca, timeout: .seconds(20))
    }
}

extension EmulationErrorCode: ExplainedCode {
    var explanation: (ExitStatus, hint: Sentence) {
        (.protocolViolation, "see the article Personas of Conformance for what each quirk does")
    }
}
