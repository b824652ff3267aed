import Testing

@testable import DesktopAuthenticator

struct ScreenshotPortalTests {
    @Test(arguments: [
        ("file:///tmp/a.png", "/tmp/a.png"), ("file:///tmp/the%20screen%C3%BC.png", "/tmp/the screenü.png"),
        ("file:///tmp/%2e%2e/a", "/tmp/../a"), ("file://host/tmp/a.png", nil), ("https://example.com/a.png", nil),
        ("file:///tmp/%0a", nil), ("file:///tmp/%00", nil), ("file:///tmp/%f", nil), ("file:///tmp/%+1", nil),
        ("file:///tmp/%ff", nil), ("", nil),
    ])
    func `a picture is a file of this machine`(uri: String, path: String?) {
        #expect(ScreenshotPortal.path(ofURI: uri) == path)
    }
}
