package import ArgumentParser
import Cryptography
import Glibc
package import HybridProtocol
package import LinuxSupport

/// A program: its outermost command, and the steps of every program before and after a command is run.
package protocol Program: AsyncParsableCommand {
    /// The pages of its help about something that is not a command.
    static var topics: [HelpTopic] { get }

    /// True for a service: it runs itself, whatever commands there are beside that, and its log has the time of the
    /// day.
    static var isService: Bool { get }

    /// The schemes of the codes that may be among the arguments, and are secrets.
    static var codes: [InvitationScheme] { get }

    /// The arguments, with the settings in the place of options that are not given.
    ///
    /// - Throws: ``Failure``.
    static func configured(_ arguments: [String], _ reporter: Reporter) throws -> [String]
}

extension Program {
    package static var topics: [HelpTopic] { [.exitCodes] }

    package static var isService: Bool { false }

    package static var codes: [InvitationScheme] { [.fido] }

    package static func configured(_ arguments: [String], _ reporter: Reporter) throws -> [String] { arguments }

    /// Runs the command that the arguments name, and ends the process with its exit code. The standard streams and the
    /// process's needs must be prepared by then: see ``StandardStreams/prepare()``, ``ProcessNeeds/prepare(_:)``.
    ///
    /// - Parameter protects: false for a command that has no secrets, and that others may look at.
    package static func begin(_ arguments: [String], protects: Bool = true) async -> Never {
        if protects { ProcessProtection.begin() }
        ProcessProtection.hideArguments(codes: codes)
        let reporter = Reporter(isJSON: arguments.contains("--json"))
        // Programs get English: the parser's texts are made before the language is chosen.
        if !reporter.isJSON { Catalogue.load(from: OwnProgram.languages) }
        do {
            try LogLines.begin(showsDay: isService)
            if let topic = HelpTopic.asked(arguments, of: topics) { throw CleanExit.message(topic.text.localized) }
            if arguments.first == "help" {
                // The parser answers a command that is not there with the help of the one above, as if that were right.
                if UnknownWord(in: arguments, of: self) != nil { throw ValidationError("") }
                // It knows the word only where there are commands.
                if configuration.subcommands.isEmpty || isService && arguments.count == 1 {
                    throw CleanExit.helpRequest(self)
                }
            }
            var command = try parseAsRoot(try configured(arguments, reporter))
            if reporter.isJSON { Catalogue.load(from: OwnProgram.languages) }
            // The parser's help is no such command, and neither are those that hand over.
            if var command = command as? any AsyncParsableCommand {
                // The outermost of several commands shows its help or the version alone.
                if configuration.subcommands.isEmpty || isService || !(command is Self) { try tryCryptography() }
                try await command.run()
            } else {
                try command.run()
            }
            exit(withError: nil)
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            let failure =
                error as? Failure ?? Failure(parsing: arguments, of: self, hiding: codes, error)
                ?? show(error, reporter)
            if let failure { reporter.report(failure) }
            exit(withError: ExitCode(failure?.status.rawValue ?? exitCode(for: error).rawValue))
        }
    }

    /// Tries the algorithms without which no command works: after the arguments, so that help is always there.
    ///
    /// - Throws: ``Failure``.
    private static func tryCryptography() throws(Failure) {
        do throws(CryptographyError) { try CryptographySelfTest.run() } catch {
            throw Failure(
                .cryptography, error, hint: Hint.cryptography)
        }
    }

    /// Shows the help that was asked for, which the parser throws.
    ///
    /// - Returns: a failure if it cannot be written.
    private static func show(_ help: any Error, _ reporter: Reporter) -> Failure? {
        reporter.print(ParserWords.localized(fullMessage(for: help)))
        return reporter.lostOutput.map { Failure(lostOutput: $0) }
    }
}

/// The sentences on commands that stand in the help of two programs: of the one that runs them, and of `hybrid`, which
/// hands over to it.
package enum Abstract {
    package static let tunnelService: Sentence =
        "Run a tunnel service, which carries ciphertext between clients and authenticators."
    package static let conformance: Sentence =
        "Test any authenticator, client or tunnel service against the rules of the protocol."
    package static let vectors: Sentence = "Check test vectors, or regenerate them."
    package static let inspect: Sentence =
        "Decode and explain a QR code, an advert, CBOR, a tunnel domain, a rule, a site's file, or a capture."
}

/// The version of the programs, their packages and their manuals.
package enum Version {
    /// Nothing else has the number but .github/CHANGELOG.md, which tools/package and tools/release compare.
    package static let version = "0.2.0"
}
