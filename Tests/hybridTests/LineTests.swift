import CommandLine
import Testing

/// Lines for programs.
@Suite("A line of --json")
struct LineTests {
    @Test("has its fields in the order of their names, with the event and the time, and none without a value")
    func fields() {
        let nothing: String? = nil
        let line = Line("key", ["state": "ready", "count": 3, "reason": nothing, "is_new": true], ["a": [1, 2]])
        #expect(line.text() == #"{"a":[1,2],"count":3,"event":"key","is_new":true,"state":"ready"}"#)
        #expect(line.text(at: 1.5) == #"{"a":[1,2],"count":3,"event":"key","is_new":true,"state":"ready","time":1.5}"#)
    }

    @Test("keeps its order, or has no time of its own, if it says so")
    func exceptions() {
        var result = Line("result", ["role": "client", "ceremony": "registration"])
        result.isInOrder = true
        #expect(result.text(at: 2) == #"{"event":"result","time":2,"role":"client","ceremony":"registration"}"#)
        var recorded = Line("advert", ["packet": 1])
        recorded.isRecorded = true
        #expect(recorded.text(at: 2) == #"{"event":"advert","packet":1}"#)
    }

    @Test(
        "has the shortest digits of a number",
        arguments: [(0.1, "0.1"), (3, "3"), (-2.5e-7, "-2.5e-07"), (.nan, "null")])
    func numbers(number: Double, text: String) {
        #expect(Line("n", ["x": number]).text() == #"{"event":"n","x":\#(text)}"#)
    }

    @Test("writes the fields of an object in order, and escapes what could steer a terminal")
    func nested() {
        let line = Line("n", ["list": [["b": "\u{1b}[31m", "a": "/"] as Fields]])
        #expect(line.text() == #"{"event":"n","list":[{"a":"/","b":"\u001b[31m"}]}"#)
    }
}
