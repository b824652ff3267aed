import Testing

/// The command line as a person or a script uses it: see `Scripts`.
@Suite struct ScriptTests {
    @Test(arguments: Script.all) func script(_ script: Script) async throws {
        try await ScriptRun.run(script)
    }

    @Test func thereAreScripts() {
        #expect(!Script.all.isEmpty, "HYBRID_SCRIPTS names none")
    }

    @Test func aScriptRunsForEachValue() async throws {
        let runs = Script.runs(of: Script("each", "# Both.\neach LETTER a b\nexec echo ${LETTER}\nstdout ^[ab]$"))
        #expect(runs.map(\.name) == ["each a", "each b"])
        #expect(runs.map(\.variables) == [["LETTER": "a"], ["LETTER": "b"]])
        for run in runs { try await ScriptRun.run(run) }
    }

    @Test(arguments: [
        "exec false", "! exec true", "exec true\nexit 1", "exec echo a\nstdout b", "exec echo a\n! stdout a",
        "exec sleep 2\nwithin 1", "exec cat &cat\nexpect cat stdout a",
        "exec sleep 60 &sleep\nsignal sleep INT\nwait sleep",
        "exec echo ${NOTHING}", "nonsense", "exec true\neach LETTER a",
    ])
    func aScriptThatDoesNotHoldFails(_ text: String) async throws {
        await #expect(throws: ScriptRun.Problem.self) { try await ScriptRun.run(Script("failing", text)) }
    }
}
