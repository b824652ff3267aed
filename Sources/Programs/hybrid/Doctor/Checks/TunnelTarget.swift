import HybridProtocol
import HybridTransport
import TunnelClient

/// A tunnel service to examine.
struct TunnelTarget: Sendable {
    /// A tunnel service in a report.
    enum Name: Sendable, Hashable {
        /// That of a tunnel domain.
        case domain(UInt16)
        /// The one that the user has given.
        case given
    }

    /// Permission to contact it.
    enum Contact: Sendable {
        case yes
        /// It is not: the user wants no network.
        case offline
        /// It is not known.
        case unknown
    }

    let name: Name
    let service: TunnelURL.Service
    let opener: any TunnelOpener
    /// Files of authorities to trust beside the system's.
    let authorityFiles: [String]
    /// The proxies through which it is reached.
    let proxies: ProxySettings
    let roles: Set<DoctorRole>
    let contact: Contact

    init(
        _ name: Name, _ service: TunnelURL.Service, opener: any TunnelOpener, authorityFiles: [String],
        proxies: ProxySettings = .none, for roles: Set<DoctorRole>, contact: Contact = .yes
    ) {
        self.name = name
        self.service = service
        self.opener = opener
        self.authorityFiles = authorityFiles
        self.proxies = proxies
        self.roles = roles
        self.contact = contact
    }

    /// True for the services that wake the phones of their owner only.
    var wakesOwnPhones: Bool {
        guard case .domain(let number) = name else { return false }
        return number < UInt16(TunnelDomain.assignedCount)
    }
}
