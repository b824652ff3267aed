/// The kind of program that a relying party's identifier belongs to.
enum RelyingPartyKind {
    /// A site, whose identifier is a domain name, in a browser.
    case site
    /// A program of this machine, whose identifier is no domain name: `ssh:` and what follows of OpenSSH, `pam://HOST`
    /// of pam-u2f.
    case localProgram

    init(_ rpID: String) { self = rpID.utf8.contains(UInt8(ascii: ":")) ? .localProgram : .site }
}
