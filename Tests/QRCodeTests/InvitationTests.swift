import Testing

@testable import QRCode

@Suite("An invitation that a browser showed")
struct InvitationTests {
    /// Recorded with Chromium 156: 174 characters.
    static let urls = [
        """
        FIDO:/579981480029062780538056016947091360960414850614639398734392687779335352951296007377714254538236190440\
        351357777832244870064389567225832337562621831545602109321447142404
        """,
        """
        FIDO:/371843971840738943059237840334346768960652044774899313395430500256846891874887544176266476079220592037\
        611245653909100700071009246286871236999671878124290109321447142404
        """,
        """
        FIDO:/550690533214783101990671224949653861792464040903341137425991339091583718708293464128130700354559618055\
        235360036853580070071033788743091338125571784966914107096654083076
        """,
    ]

    @Test("is an alphanumeric and a numeric segment, as short as can be", arguments: urls)
    func segments(url: String) throws {
        #expect(url.utf8.count == 174)
        #expect(
            try QRCode(text: url).segments == [
                QRCode.Segment(mode: .alphanumeric, bytes: 0..<6), QRCode.Segment(mode: .numeric, bytes: 6..<174),
            ])
    }

    @Test("takes version 4 at level L and version 5 at level M", arguments: urls)
    func versions(url: String) throws {
        #expect(try QRCode(text: url, level: .low).version == 4)
        #expect(try QRCode(text: url, level: .medium).version == 5)
        #expect(try QRCode(text: url, level: .medium, minimumVersion: 5).version == 5)
        #expect(try QRCode(text: url, level: .low, minimumVersion: 5).version == 5)
        for level in QRCode.ErrorCorrectionLevel.allCases {
            #expect(try SymbolReader(QRCode(text: url, level: level)).contents == Array(url.utf8))
        }
    }
}
