import CommandLine
import Glibc
internal import HybridProtocol
import HybridTransport
import LinuxSupport
internal import SystemPackage
import TunnelClient
import WebAuthnClient

/// Source of a relying party's list of related origins: its own place, another address, or a file.
struct RelatedOriginsSource: RelatedOriginsFetcher {
    private enum Place {
        case own
        case address(String)
        case file([UInt8])
    }

    private let place: Place
    private let pages: PageFetch

    private static let scheme = "https://"
    private static let option = "--related-origins"

    /// Reads the file, if it is one.
    ///
    /// - Parameters:
    ///   - place: an address, or a path; the own place of each relying party if nil.
    ///   - authorityFiles: PEM files of authorities to trust beside the system's.
    ///   - proxies: the proxies through which servers are reached.
    /// - Throws: ``Failure`` for a file that cannot be read; `DataChannelError` for one that holds no certificates.
    init(_ place: String?, authorityFiles: [String], proxies: ProxySettings) throws {
        for file in authorityFiles { try FileCheck.readable(file, option: "--ca") }
        var pages = try PageFetch(authorityFiles: authorityFiles, proxies: proxies)
        pages.maxByteCount = RelatedOrigins.maxByteCount
        pages.timeout = RelatedOrigins.timeout
        pages.maxRedirectCount = RelatedOrigins.maxRedirectCount
        self.pages = pages
        self.place =
            switch place {
            case nil: .own
            case let place? where place.hasPrefix(Self.scheme): .address(place)
            case let path?: .file(try Self.contents(of: path))
            }
    }

    func fetch(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse {
        switch place {
        case .own: return try await page(url)
        case .address(let address): return try await page(address)
        case .file(let body):
            return RelatedOriginsResponse(status: 200, contentTypes: ["application/json"], body: body)
        }
    }

    private func page(_ url: String) async throws(RelyingPartyError) -> RelatedOriginsResponse {
        do throws(DataChannelError) {
            let page = try await pages.get(url)
            return RelatedOriginsResponse(status: page.status, contentTypes: page.contentTypes, body: page.body)
        } catch {
            throw RelyingPartyError(.relatedOriginsUnavailable, reason: "\(url): \(error.reason)")
        }
    }

    private static func contents(of path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw Failure(
                .file, code: "input-output", cause: "\(path) cannot be read: \(Errno.last)",
                hint: "check the file given with \(option)")
        }
        defer { close(file) }
        do {
            // One byte more than may be there is enough to be refused.
            return try StandardStreams.read(limit: RelatedOrigins.maxByteCount + 1, from: file)
        } catch let error as Errno {
            throw Failure(
                .file, code: "input-output", cause: "\(path) cannot be read: \(error)",
                hint: "check the file given with \(option)")
        }
    }
}
