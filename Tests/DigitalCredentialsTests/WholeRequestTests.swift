import Encodings
import Foundation
import HybridProtocol
import Testing

/// Requests of which the user must be able to read the whole, or that are not answered (HT-DC-42, HT-DC-44).
@Suite("Of a digital-credential request")
struct WholeRequestTests {
    private static let protocolName = "openid4vp-v1-unsigned"
    private static let card = #""format":"dc+sd-jwt","meta":{"vct_values":["urn:library:card:1"]}"#

    /// A request with these options, each the text of a query's credentials.
    private static func request(credentials: String...) throws -> DigitalCredentialRequest {
        try request(data: credentials.map { #"{"dcql_query":{"credentials":[\#($0)]}}"# })
    }

    private static func request(data: [String]) throws -> DigitalCredentialRequest {
        let options = data.map { #"{"protocol":"\#(protocolName)","data":\#($0)}"# }.joined(separator: ",")
        return try DigitalCredentialRequest(
            origin: "https://shop.example", kind: .presentation,
            digital: JSONValue(parsing: #"{"requests":[\#(options)]}"#))
    }

    private static func claims(_ names: [String]) -> String {
        #""claims":["# + names.map { #"{"path":["\#($0)"]}"# }.joined(separator: ",") + "]"
    }

    private static func summary(_ request: DigitalCredentialRequest) throws -> [String] {
        try request.admitted().request.summary.map { String($0.dropFirst(protocolName.count + 2)) }
    }

    @Test("each claim is shown, however many there are")
    func claims() throws {
        let names = (1...60).map { "a_claim_of_no_importance_\($0)" } + ["passport_number", "home_address"]
        let request = try Self.request(credentials: "{\(Self.card),\(Self.claims(names))}")
        #expect(try Self.summary(request) == ["urn:library:card:1 (\(names.joined(separator: ", ")))"])
    }

    @Test("each type of a credential is shown, of which any one will do")
    func types() throws {
        let request = try Self.request(
            credentials: #"{"format":"dc+sd-jwt","meta":{"vct_values":["urn:library:card:1","urn:eudi:pid:1"]}}"#)
        #expect(try Self.summary(request) == ["urn:library:card:1 or urn:eudi:pid:1"])
        let other = try Self.request(
            credentials: #"{"format":"jwt_vc_json","meta":{"type_values":[["A","B"],["C"]]}}"#)
        #expect(try Self.summary(other) == [#""jwt_vc_json {\"type_values\":[[\"A\",\"B\"],[\"C\"]]}""#])
    }

    @Test(
        "the format decides which restriction counts, and one of another format makes it unreadable",
        arguments: [
            #"{"format":"dc+sd-jwt","meta":{"vct_values":["urn:eudi:pid:1"],"doctype_value":"org.library.card"}}"#,
            #"{"format":"mso_mdoc","meta":{"vct_values":["urn:library:card:1"],"doctype_value":"org.iso.mDL"}}"#,
            #"{"format":"mso_mdoc","meta":{"vct_values":["urn:library:card:1"]}}"#,
            #"{"format":"dc+sd-jwt","meta":{"doctype_value":"org.library.card"}}"#,
            #"{"format":"jwt_vc_json","meta":{"doctype_value":"org.library.card"}}"#,
        ])
    func otherFormat(credential: String) throws {
        let request = try Self.request(credentials: credential)
        #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
    }

    @Test(
        "nothing is named in another way than by the query",
        arguments: [
            #""scope":"passport""#, #""presentation_definition":{"input_descriptors":[]}"#,
            #""presentation_definition_uri":"https://shop.example/more""#, #""claims":{"id_token":{}}"#,
        ])
    func otherNames(member: String) throws {
        let query = #""dcql_query":{"credentials":[{\#(Self.card)}]}"#
        for data in ["{\(query),\(member)}", "{\(member)}"] {
            let request = try Self.request(data: [data])
            #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
        }
        let payload = #"{"client_id":"c","expected_origins":["https://shop.example"],\#(query),\#(member)}"#
        let signed = [#"{"alg":"ES256","typ":"oauth-authz-req+jwt"}"#, payload, "signature"].map {
            Data($0.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
        }.joined(separator: ".")
        let request = try DigitalCredentialsTests.request(
            ("openid4vp-v1-signed", ["request": .string(signed)]), from: "https://shop.example")
        #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
    }

    @Test(
        "no sets select what is given",
        arguments: [
            #"{"dcql_query":{"credentials":[{\#(card),"id":"a"}],"credential_sets":[{"options":[["a"]]}]}}"#,
            #"{"dcql_query":{"credentials":[{\#(card),"claims":[{"id":"a","path":["b"]}],"claim_sets":[["a"]]}]}}"#,
        ])
    func sets(data: String) throws {
        let request = try Self.request(data: [data])
        #expect(throws: DigitalCredentialError(.ambiguous, reason: "")) { try request.admitted() }
    }

    @Test(
        "each part of a query can be read",
        arguments: [
            "7", "{}", #"{"format":7}"#, #"{"format":""}"#, #"{"format":"dc+sd-jwt","meta":7}"#,
            #"{"format":"dc+sd-jwt","meta":{"vct_values":"a"}}"#, #"{"format":"dc+sd-jwt","meta":{"vct_values":[]}}"#,
            #"{"format":"dc+sd-jwt","meta":{"vct_values":["a",7]}}"#,
            #"{"format":"mso_mdoc","meta":{"doctype_value":["a"]}}"#, #"{\#(card),"claims":7}"#,
            #"{\#(card),"claims":[]}"#, #"{\#(card),"claims":[7]}"#, #"{\#(card),"claims":[{"path":[]}]}"#,
            #"{\#(card),"claims":[{"path":"a"}]}"#, #"{\#(card),"claims":[{"path":[{}]}]}"#,
            #"{\#(card),"claims":[{"namespace":"a","claim_name":"b"}]}"#,
        ])
    func unreadable(credential: String) throws {
        let request = try Self.request(credentials: credential)
        #expect(throws: DigitalCredentialError(.badQuery, reason: "")) { try request.admitted() }
    }

    @Test("nothing is moved out of sight by padding, and no name passes for several")
    func padding() throws {
        for blank in [" ", "\u{A0}", "\u{3164}", "\u{2800}", "\u{200B}"] {
            let padded = "over_18" + String(repeating: blank, count: 230)
            let request = try Self.request(
                credentials: "{\(Self.card),\(Self.claims([padded, "passport_number", "home_address"]))}")
            #expect(
                try Self.summary(request) == [#"urn:library:card:1 ("over_18 ", passport_number, home_address)"#])
        }
        let request = try Self.request(
            credentials: "{\(Self.card),\(Self.claims(["over_18), urn:student:card (name"]))}")
        #expect(try Self.summary(request) == [#"urn:library:card:1 ("over_18), urn:student:card (name")"#])
    }

    @Test("each of nine ways to answer is shown, and of any number")
    func options() throws {
        let data = (1...64).map { #"{"dcql_query":{"credentials":[{"format":"f\#($0)"}]}}"# }
        #expect(try Self.summary(Self.request(data: Array(data.prefix(9)))) == (1...9).map { "f\($0)" })
        #expect(try Self.summary(Self.request(data: data)) == (1...64).map { "f\($0)" })
    }

    @Test("what is too long to be shown is left out, and the rest is shown")
    func tooLong() throws {
        let names = (0..<1_000).map { "claim_\($0)" }
        let long = #"{"dcql_query":{"credentials":[{\#(Self.card),\#(Self.claims(names))}]}}"#
        let short = #"{"dcql_query":{"credentials":[{\#(Self.card)}]}}"#
        let (admitted, leftOut) = try Self.request(data: [long, short]).admitted()
        #expect(leftOut == [DigitalCredentialError(.tooLarge, reason: "")])
        #expect(admitted.options.count == 1 && admitted.summary == ["\(Self.protocolName): urn:library:card:1"])
        #expect(throws: DigitalCredentialError(.tooLarge, reason: "")) { try Self.request(data: [long]).admitted() }
        // Together, too: each of these could be shown alone.
        let half = #"{"dcql_query":{"credentials":[{\#(Self.card),\#(Self.claims(Array(names.prefix(500))))}]}}"#
        let together = try Self.request(data: [half, half, short]).admitted()
        #expect(together.request.options.count == 2 && together.leftOut.count == 1)
        // Data of a protocol that is not read here is shown as it is.
        let unread = try DigitalCredentialsTests.request(("future", .string(String(repeating: "x", count: 9_000))))
        #expect(throws: DigitalCredentialError(.tooLarge, reason: "")) { try unread.admitted() }
    }
}
