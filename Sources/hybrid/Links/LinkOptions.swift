import ArgumentParser
import HybridProtocol
import HybridTransport
import Links

/// What the client does about links.
struct LinkOptions: ParsableArguments {
    @Flag(
        help: "Offer the device that scans the QR code to be linked: from then on it is asked without a QR code.")
    var link = false

    @Flag(help: "Do not ask linked devices: show the QR code only.")
    var noLinks = false

    @Flag(help: "Ask linked devices only: show no QR code.")
    var linkedOnly = false

    @OptionGroup var place: LinkFileOption

    func validate() throws {
        guard !linkedOnly || !noLinks && !link else {
            throw ValidationError("--linked-only goes neither with --link nor with --no-links")
        }
    }

    /// What a ceremony is to do about links.
    ///
    /// - Throws: ``LinkFileError`` if a file that is needed cannot be used; ``Failure`` for `--linked-only` without a link.
    func linking(_ reporter: Reporter) throws -> ClientLinking {
        let file = try place.file()
        let keeper = ClientLinkKeeper(file, reporter)
        return ClientLinking(links: try links(in: file, reporter), isOffered: link) { keeper.note($0) }
    }

    private func links(in file: ClientLinkFile, _ reporter: Reporter) throws -> [SharedLink] {
        do throws(LinkFileError) {
            let links = try file.links()
            guard !links.isEmpty || !linkedOnly else {
                throw LinkFileError(.unknownLink, reason: "\(file.path) has no link")
            }
            return noLinks ? [] : links.map(\.link)
        } catch {
            // A new link could not be kept either, and that is better known before a person is asked.
            guard !link, !linkedOnly else { throw error }
            if !noLinks {
                reporter.warn("no-links", "linked devices are not asked: \(error.reason)", role: .client)
            }
            return []
        }
    }
}

/// Where the client's links are.
struct LinkFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of links. (default: $XDG_STATE_HOME/hybrid/links, or ~/.local/state/hybrid/links)",
            valueName: "file"))
    var links: String?

    /// - Throws: ``LinkFileError`` `no-directory`.
    func file() throws(LinkFileError) -> ClientLinkFile {
        if let links { return ClientLinkFile(path: links) }
        return ClientLinkFile(path: try ClientLinkFile.defaultPath())
    }
}
