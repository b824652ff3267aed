import HybridProtocol
import Testing

@Suite("The date of an HTTP header")
struct HTTPDateTests {
    @Test(
        "is written and read in the one form that servers send",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func bothWays(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test("is brought into the years 1970 to 9999")
    func range() {
        #expect(HTTPDate.text(.min) == HTTPDate.text(0))
        #expect(HTTPDate.text(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test("comes back as it was, whatever the day")
    func everyDay() {
        for day in stride(from: Int64(0), to: 200_000, by: 13) {
            let seconds = day * 86_400 + day % 86_400
            #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
        }
    }

    @Test(
        "is not read in any other form",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37 UTC", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, 06 Nom 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49-37 GMT", "Sun, ٠٦ Nov 1994 08:49:3 GMT",
        ])
    func otherForms(text: String) { #expect(HTTPDate.seconds(text) == nil) }
}
