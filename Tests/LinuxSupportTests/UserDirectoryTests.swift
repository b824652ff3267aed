import LinuxSupport
import Testing

@Suite struct UserDirectoryTests {
    @Test(
        "A directory is its variable's, or in the home directory if that is not set or not absolute",
        arguments: [
            (["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "HOME": "/h"], "/d", "/s"),
            (["HOME": "/h"], "/h/.local/share", "/h/.local/state"),
            (["XDG_DATA_HOME": "d", "XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/share", "/h/.local/state"),
            (["HOME": "h"], nil, nil), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func paths(environment: [String: String], data: String?, state: String?) {
        #expect(UserDirectory.data.path(environment: environment) == data)
        #expect(UserDirectory.state.path(environment: environment) == state)
    }
}
