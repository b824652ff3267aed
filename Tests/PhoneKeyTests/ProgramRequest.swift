import CTAP
import Encodings
import TestPeers

/// Requests as programs send them to a USB key, written down from their sources.
enum ProgramRequest {
    static let getInfo: [UInt8] = [0x04]
    static let getNextAssertion: [UInt8] = [0x08]
    static let selection: [UInt8] = [0x0b]
    /// The client data hash of all of these, unless a program has one that is always the same.
    static let hash = [UInt8](repeating: 0x11, count: 32)
    /// SHA-256 of nothing.
    static let emptyHash = bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    static let zeroHash = [UInt8](repeating: 0, count: 32)

    // OpenSSH sk-usbhid.c, pam-u2f pamu2fcfg.c, both by libfido2 cbor.c; Chromium make_credential_task.cc and
    // ctap_make_credential_request.cc; Firefox authenticator-rs commands/make_credentials.rs; libfido2 touch.c;
    // python-fido2 client.
    static let opensshEnrol = bytes(
        """
        01a4015820111111111111111111111111111111111111111111111111111111111111111102a1626964647373683a03a362
        696458200000000000000000000000000000000000000000000000000000000000000000646e616d65676f70656e7373686b
        646973706c61794e616d65676f70656e7373680481a263616c672664747970656a7075626c69632d6b6579
        """)
    static let opensshResident = bytes(
        """
        01a6015820111111111111111111111111111111111111111111111111111111111111111102a1626964647373683a03a362
        696458200000000000000000000000000000000000000000000000000000000000000000646e616d65676f70656e7373686b
        646973706c61794e616d65676f70656e7373680481a263616c672664747970656a7075626c69632d6b657906a16b63726564
        50726f746563740207a162726bf5
        """)
    static let opensshVerifyRequired = bytes(
        """
        01a6015820111111111111111111111111111111111111111111111111111111111111111102a1626964647373683a03a362
        696458200000000000000000000000000000000000000000000000000000000000000000646e616d65676f70656e7373686b
        646973706c61794e616d65676f70656e7373680481a263616c672664747970656a7075626c69632d6b657906a16b63726564
        50726f746563740307a1627576f5
        """)
    static let opensshEd25519 = bytes(
        """
        01a4015820111111111111111111111111111111111111111111111111111111111111111102a1626964647373683a03a362
        696458200000000000000000000000000000000000000000000000000000000000000000646e616d65676f70656e7373686b
        646973706c61794e616d65676f70656e7373680481a263616c672764747970656a7075626c69632d6b6579
        """)
    static let opensshLooksForResident = bytes(
        """
        02a301647373683a025820111111111111111111111111111111111111111111111111111111111111111105a2627570f462
        7576f5
        """)
    static let pamu2fcfg = bytes(
        """
        01a5015820111111111111111111111111111111111111111111111111111111111111111102a26269646c70616d3a2f2f6c
        6170746f70646e616d656c70616d3a2f2f6c6170746f7003a262696458200707070707070707070707070707070707070707
        070707070707070707070707646e616d6565616c6963650481a263616c672664747970656a7075626c69632d6b657907a0
        """)
    static let chromium = bytes(
        """
        01a6015820111111111111111111111111111111111111111111111111111111111111111102a26269646b6578616d706c65
        2e636f6d646e616d65674578616d706c6503a3626964427531646e616d6565616c6963656b646973706c61794e616d656541
        6c6963650482a263616c672664747970656a7075626c69632d6b6579a263616c6739010064747970656a7075626c69632d6b
        657906a26b6372656450726f74656374026b686d61632d736563726574f507a262726bf5627576f5
        """)
    static let firefox = bytes(
        """
        01a5015820111111111111111111111111111111111111111111111111111111111111111102a16269646b6578616d706c65
        2e636f6d03a2626964427531646e616d6565616c6963650481a263616c672664747970656a7075626c69632d6b657907a262
        726bf5627576f5
        """)
    static let chromiumTouch = bytes(
        """
        01a4015820e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85502a1626964662e64756d6d7903
        a26269644101646e616d656564756d6d790481a263616c672664747970656a7075626c69632d6b6579
        """)
    static let firefoxTouch = bytes(
        """
        01a5015820111111111111111111111111111111111111111111111111111111111111111102a16269646d6d616b652e6d65
        2e626c696e6b03a26269644100646e616d656d6d616b652e6d652e626c696e6b0481a263616c672664747970656a7075626c
        69632d6b65790840
        """)
    static let libfido2Touch = bytes(
        """
        01a4015820e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85502a1626964696c6f63616c686f
        737403a26269644101646e616d656564756d6d790481a263616c672664747970656a7075626c69632d6b6579
        """)
    static let pythonTouch = bytes(
        """
        01a5015820000000000000000000000000000000000000000000000000000000000000000002a26269646b6578616d706c65
        2e636f6d646e616d656b6578616d706c652e636f6d03a26269644564756d6d79646e616d656564756d6d790481a263616c67
        2664747970656a7075626c69632d6b65790840
        """)

    /// A sign-in with an allow list, as Chromium, Firefox and libfido2 write one.
    static func signIn(
        _ ids: [[UInt8]], of rpID: String = "example.com", hash: [UInt8] = hash, up: Bool? = nil, uv: Bool? = nil,
        transports: [String] = []
    ) -> [UInt8] {
        var map: CBORMap = [1: .text(rpID), 2: .bytes(hash)]
        let descriptors = ids.map { id in
            var descriptor: CBORMap = ["id": .bytes(id), "type": "public-key"]
            if !transports.isEmpty { descriptor["transports"] = .array(transports.map(CBORValue.text)) }
            return CBORValue.map(descriptor)
        }
        if !ids.isEmpty { map[3] = .array(descriptors) }
        var options = CBORMap()
        options["up"] = up.map(CBORValue.bool)
        options["uv"] = uv.map(CBORValue.bool)
        if !options.isEmpty { map[5] = .map(options) }
        return [0x02] + map.encoded()
    }

    /// One of the registrations above with an exclude list.
    static func excluding(_ ids: [[UInt8]], _ registration: [UInt8]) throws -> [UInt8] {
        var map = try parameters(registration)
        map[5] = .array(ids.map { ["id": .bytes($0), "type": "public-key"] })
        return [0x01] + map.encoded()
    }

    /// The parameters of a request.
    static func parameters(_ request: [UInt8]) throws -> CBORMap {
        try CBORValue.decode(request.span.extracting(droppingFirst: 1)).mapValue ?? [:]
    }

    /// A request as a phone's ceremony takes it.
    static func decoded(_ request: [UInt8]) throws -> CTAPRequest { try CTAPRequest(decoding: request.span) }
}
