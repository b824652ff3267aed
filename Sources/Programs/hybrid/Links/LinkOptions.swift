import ArgumentParser
import CommandLine
import HybridProtocol
import HybridTransport
import LinuxSupport

/// The client's options for links.
struct LinkOptions: ParsableArguments {
    @Flag(
        help: .saying("Offer to link the device that scans the QR code: from then on it is asked without a QR code."))
    var link = false

    @Flag(help: .saying("Do not ask linked devices: show the QR code only."))
    var noLinks = false

    @Flag(help: .saying("Ask linked devices only: show no QR code."))
    var linkedOnly = false

    func validate() throws {
        guard !linkedOnly || !noLinks && !link else {
            throw ValidationError.saying("--linked-only goes neither with --link nor with --no-links")
        }
    }

    /// Keeps the links; nil if they cannot be kept and need not be.
    ///
    /// - Throws: ``LinkFileError`` if a file that is needed has no place.
    func keeper(_ place: LinkFileOption, _ reporter: Reporter) throws(LinkFileError) -> ClientLinkKeeper? {
        do throws(LinkFileError) {
            return ClientLinkKeeper(try place.file(), reporter)
        } catch {
            guard !link, !linkedOnly else { throw error }
            return nil
        }
    }

    /// Links for a ceremony.
    ///
    /// - Throws: ``LinkFileError`` if a file that is needed cannot be used; ``Failure`` for `--linked-only` without a
    ///   link.
    func linking(_ keeper: ClientLinkKeeper?, _ reporter: Reporter) throws -> ClientLinking {
        guard let keeper else { return .none }
        return ClientLinking(links: try links(of: keeper, reporter), isOffered: link) { keeper.note($0) }
    }

    private func links(of keeper: ClientLinkKeeper, _ reporter: Reporter) throws -> [SharedLink] {
        guard !noLinks || link else { return [] }
        do throws(LinkFileError) {
            let links = try keeper.file.links()
            guard !links.isEmpty || !linkedOnly else {
                throw LinkFileError(.unknownLink, reason: "\(keeper.file.path) has no link")
            }
            return noLinks ? [] : links.map(\.link)
        } catch {
            // A new link could not be kept either, and that is better known before a user is asked.
            guard !link, !linkedOnly else { throw error }
            reporter.warn("no-links", "linked devices are not asked: \(reason: error.reason)", role: .client)
            return []
        }
    }
}

/// The place of the client's links.
struct LinkFileOption: ParsableArguments {
    @Option(
        help: .saying(
            "The file of links. (default: $XDG_STATE_HOME/hybrid/links, or ~/.local/state/hybrid/links)",
            valueName: "file"), completion: .file())
    var links: String?

    /// - Throws: ``LinkFileError`` `no-directory`.
    func file() throws(LinkFileError) -> ClientLinkFile {
        if let links { return ClientLinkFile(path: links) }
        return ClientLinkFile(path: try ClientLinkFile.defaultPath())
    }
}
