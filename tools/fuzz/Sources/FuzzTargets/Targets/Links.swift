internal import Cryptography
internal import HybridProtocol

@testable internal import HybridTransport

extension FuzzTarget {
    static let links = FuzzTarget("links", "both files of links, and a stored link") { input in
        let kind = input.number(below: 3)
        let hasChecksum = input.bool()
        let bytes = input.rest()
        let file = hasChecksum ? bytes + SHA256.hash(bytes.span) : bytes
        switch kind {
        case 0: try keeps(file, ClientLinks.self)
        case 1: try keeps(file, AuthenticatorLinks.self)
        default:
            guard let link = try? Link(decoding: bytes.span) else { return }
            let encoded = link.encoded()
            let again = try Link(decoding: encoded.span)
            let twice = again.encoded()
            expect(constantTimeEquals(encoded.span, twice.span), "a link changes when written and read")
        }
    }

    private static func keeps<Contents: LinkFileContents>(_ file: [UInt8], _ type: Contents.Type) throws {
        guard let contents = try? Contents(decoding: file.span) else { return }
        let encoded = try contents.encoded()
        let again = try Contents(decoding: encoded.span).encoded()
        expect(constantTimeEquals(again.span, encoded.span), "links change when written and read")
    }
}
