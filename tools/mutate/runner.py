"""Mistakes in the conformance runner: each a file below Sources, what stands there (once), what is put there instead, what is wrong then, and
the test that must fail; where none can, why. A runner that judges wrongly is believed all the same, so what decides a verdict, and what
tells of it, has some."""
from mutations import Mutant

RUNNER = "Conformance/Conformance"


def Mistake(file, found, put, what, test=None, why=None):
    return Mutant(file, found, put, what, test=test, why=why)


def m(file, *rest, **named):
    return Mistake(f"{RUNNER}/{file}", *rest, **named)


MISTAKES = [
    # What is judged.
    m("CaseRunner.swift", "if let edition, !scripted.testCase.rule.binds(edition) {", "if let edition, edition == .ctap23, !scripted.testCase.rule.binds(edition) {", "rules of 2.3 bind a peer of 2.2", "EditionTests"),
    m("CaseRunner.swift", "needsDelivery: kind != .behaves", "needsDelivery: false", "a mistake need not arrive", "ForeignPeerTests"),
    m("CaseRunner.swift", "record.undeliveredReason, verdict.isGood {", "record.undeliveredReason, verdict == .skipped(\"\") {", "a refusal of what did not arrive counts", "ForeignPeerTests"),
    m("CaseRunner.swift", "verdict = isObserved ? .observed(\"complies\") : .passed", "verdict = .passed", "what is observed is passed", "JudgingTests/codes"),
    m("CaseRunner.swift", "verdict = isObserved ? .observed(other.way) : .passed", "verdict = .passed", "another way of what is observed is passed", "RunnerTests/otherWay"),
    m("CaseRunner.swift", "case let end as UnexplainedEnd where !isObserved: return .inconclusive(end.reason)", "case let end as UnexplainedEnd where !isObserved: return .deviates(end.reason)", "an end without a cause deviates", "RunnerTests/unexplained"),
    m("CaseRunner.swift", "return isObserved ? .observed(reason) : .deviates(reason)", "return .deviates(reason)", "what is observed deviates", "PolicyTests"),
    m("CaseRunner.swift", "let isObserved = !isControl && scripted", "let isObserved = scripted", "a control case is observed", "PolicyTests"),
    m("CaseRunner.swift", "result.lenience = record.lenience", "result.lenience = nil", "what is read leniently is not told", "RunnerTests/lenience"),
    m("CaseRunner.swift", "result.slowestStep = record.slowestStep", "result.slowestStep = .zero", "a slow peer gets no more time", "RunnerTests/lenience"),
    m("CaseRunner.swift", "if !verdict.isGood { result.wholeStandardError = record.errors.whole }", "", "--keep has no standard error", "RunnerTests/standardError"),
    m("ConformanceCase.swift", "isObservation || rule.strength == .may", "isObservation", "a permission is demanded", "PolicyTests"),
    m("ConformanceCase.swift", "|| rule.certainty == .disputed", "", "a disputed rule is demanded", "PolicyTests"),
    m("ConformanceCase.swift", "(rule.certainty == .policy && !holdingPolicies)", "rule.certainty == .policy", "--policy holds nobody to anything", "PolicyTests"),
    m("ConformanceCase.swift", "testCase.rule.isCertainRequirement ? .fails : .deviates", ".deviates", "nothing fails", "ControlCaseTests"),
    m("ConformanceCase.swift", "otherWay == nil ? .held : .conceptuallyPassed", ".held", "a refusal in another way is held", "ControlCaseTests/spirit"),
    m("ConformanceCase.swift", "return .inconclusive(\"without", "return .deviates(\"without", "a failed control case is the peer's deviation", "ControlCaseTests"),
    m("ConformanceCase.swift", "            result.standardError = []\n            result.wholeStandardError = []\n", "", "a case that passed has standard error", "RunnerTests/needless"),
    m("ConformanceCase.swift", "\"client/l2cap\": \"client/l2cap/framing-terminated\",", "", "refusals over L2CAP stand beside a control case over the tunnel", "ProfileTests"),
    m("Vectors/Rules/Rule.swift", "editions.isEmpty || editions.contains(edition)", "editions.contains(edition)", "rules of no edition bind nobody", "EditionTests"),
    m("Vectors/Rules/Rule.swift", "strength.affirmative == .must && certainty == .certain", "strength.affirmative == .must", "breaking what is not certain fails", "RunnerTests/grades"),
    # What it is judged beside.
    m("ControlledRun.swift", "blockCount: Int { 25 }", "blockCount: Int { 50 }", "a control case runs half as often", "ControlCaseTests"),
    m("ControlledRun.swift", "[block.checkpoint, block.checkpoint + 1].allSatisfy", "[block.checkpoint].allSatisfy", "a control case that fails afterwards is not looked at", "ControlCaseTests"),
    m("ControlledRun.swift", "[block.checkpoint, block.checkpoint + 1].allSatisfy", "[block.checkpoint + 1].allSatisfy", "a control case that fails before is not looked at", "RunnerTests/firstControl"),
    m("ControlledRun.swift", "            before = try await control()\n            if !before.isGood, result.verdict.isGood {", "            before = try await control()\n            if !before.isGood {", "a failed control case hides a deviation", "ControlCaseTests/deviation"),
    m("ControlledRun.swift", "                    if result.verdict.isGood { result.verdict = before.asControl(of: result.testCase) }\n", "                    result.verdict = before.asControl(of: result.testCase)\n", "a control case that fails twice hides a deviation", "ControlCaseTests/deviation"),
    m("ControlledRun.swift", "if !before.isGood { before = try await control() }", "", "a control case that fails once ends its block", "ControlCaseTests/again"),
    m("ControlledRun.swift", "(free.filter { Self.isOfForm($0) } + free.filter { !Self.isOfForm($0) })", "free", "what is read leniently is judged late", "RunnerTests/formFirst"),
    m("ControlledRun.swift", "report(result.withoutNeedless)", "report(result)", "a case that passed has a transcript", "TranscriptTests/ofCase"),
    # What is known of messages.
    m("Record/Delivery.swift", "if time < sent {", "if time < sent, state.isClosed {", "a goodbye before the mistake is not noticed", "DeliveryTests/goodbye"),
    m("Record/Delivery.swift", "if isBehind, !state.isRead {", "if isBehind, state.isClosed {", "a goodbye over an unread mistake is not noticed", "DeliveryTests/goodbyeUnread"),
    m("Record/Delivery.swift", "if state.lastSent != nil { state.undeliveredReason = state.undeliveredReason ?? Self.unread }", "", "a reset says nothing", "DeliveryTests/unread"),
    m("Record/Delivery.swift", "state.isRead || state.isAnswered && state.hasWritten || state.isLongAnswered { return }", "state.isRead || state.isLongAnswered { return }", "an answer before a goodbye that is unread counts as nothing", "RunnerTests/unreadGoodbye"),
    m("Record/Delivery.swift", "if needsReading, !state.isAnswered, !state.isLongAnswered {", "if needsReading, state.isLong, !state.isAnswered {", "what nobody acknowledges has arrived", "RunnerTests/unacknowledged"),
    m("Record/Delivery.swift", "if state.isSettled { state.undeliveredReason = state.undeliveredReason ?? Self.late }", "", "what is sent to a channel that has ended has arrived", "DeliveryTests/late"),
    m("Record/Delivery.swift", "state.isLong = byteCount >= Self.longByteCount", "state.isLong = true", "every message is one that need not be read to its end", "RunnerTests/longMessages"),
    m("Record/CaseRecord.swift", "if state.isMistakeSent { delivery.close() }", "", "what is sent behind a mistake must arrive on a new channel", "RunnerTests/behindMistake"),
    m("Record/CaseRecord.swift", "$0.edition == .ctap23 ? .ctap23 : edition", "edition", "the last edition counts", "EditionTests/latest"),
    m("Record/CaseRecord.swift", "$0.lenience = $0.lenience ?? text", "$0.lenience = text", "the last fault of form is told", "RunnerTests/lenience"),
    m("Record/CaseRecord.swift", "$0.slowestStep = max($0.slowestStep, step)", "$0.slowestStep = step", "the last step is the slowest", "RunnerTests/lenience"),
    # What the peer's program does.
    m("Program/Peer.swift", "guard !Self.crashStatuses.contains(status) else", "guard status >= 0 else", "a crash in a shell is a refusal", "OddPeerTests/signals"),
    m("Program/Peer.swift", "guard status == 0 else { throw Deviation(\"it ended with exit", "guard status >= 0 else { throw Deviation(\"it ended with exit", "any end is a success", "RunnerTests/ends"),
    m("Program/Peer.swift", "guard try await ended() != 0 else", "guard try await ended() != 256 else", "any end is a failure", "JudgingTests/endsWell"),
    m("Program/PeerProgram.swift", "return state.outputCount <= Self.outputLimit", "return state.outputCount <= 3 * Self.outputLimit", "more is kept of what a peer writes than may be", "OddPeerTests/endlessOutput"),
    m("Program/PeerProgram.swift", "standardInput?.isRead != true {", "standardInput == nil {", "a code that is not read was refused", "RunnerTests/unreadInput"),
    m("Program/StandardErrorTail.swift", "if text.unicodeScalars.last == Self.carriageReturn { text.unicodeScalars.removeLast() }", "if text.isEmpty { text.unicodeScalars.removeLast() }", "lines of standard error end in CR", "StandardErrorTests"),
    m("Program/CommandTemplate.swift", "            filled.append(url)\n", "            filled.insert(url, at: 0)\n", "a code without a place comes first", "CommandTemplateTests"),
    m("Program/CodeReader.swift", "!number.isEmpty, number.endIndex < rest.endIndex {", "!number.isEmpty {", "half of a code is taken for it", "RunnerTests/halfCode"),
    m("Program/CodeReader.swift", "if bytes.count > Self.kept { bytes.removeFirst(bytes.count - Self.kept) }", "if bytes.count > Self.kept { bytes = [] }", "a code over two pieces is lost", "RunnerTests/halfCode"),
    # What is on the wire.
    m("Wire/WebSocketEnd.swift", "guard frame.isMasked == (side == .server) else", "guard frame.isMasked == (side == .server) || frame.reserved == 0 else", "masks are not looked at", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "guard frame.reserved == 0 else", "guard frame.reserved <= 7 else", "reserved bits are not looked at", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "guard frame.fin, frame.payload.count <= 125 else", "guard frame.payload.count <= 125 else", "control frames may be fragmented", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "guard frame.fin, frame.payload.count <= 125 else", "guard frame.fin else", "control frames may be long", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "guard !message.isEmpty else { throw Deviation(\"it sends an empty message\") }", "", "empty messages are taken", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "case WireFrame.Opcode.binary where !hasBegun, WireFrame.Opcode.continuation where hasBegun:", "case WireFrame.Opcode.binary where !hasBegun || hasBegun, WireFrame.Opcode.continuation where hasBegun || !hasBegun:", "fragments may come in any order", "RunnerTests/frames"),
    m("Wire/WebSocketEnd.swift", "case WireFrame.Opcode.text: throw Deviation(\"it sends a text message\")", "case WireFrame.Opcode.text: return frame.payload", "text messages are taken", "RunnerTests/frames"),
    m("Wire/RequestHead.swift", "guard parts.count == 3 else", "guard parts.count >= 3 else", "a request has any number of words", "HeadTests"),
    m("Wire/NearbyEnd.swift", "guard bytes != [NearbyEnd.terminator[0]] else { return false }", "", "half of a terminator is a message", "TerminatorTests"),
    m("Wire/PeerSocket.swift", "let rows = [\"\\(theirs) \\(ours) \", mapped]", "let rows = [\"\\(ours) \\(theirs) \", mapped]", "the runner's own end is looked at for what the peer has not read", "DeliveryTests/unreadByteCount"),
    m("Wire/FrameRecords.swift", "guard sum == byteCount else { continue }", "guard sum >= byteCount else { continue }", "padding of records is taken for contents", "RecordTests"),
    # What is in a session.
    m("Session/Direction.swift", "guard let zeroCount = message.last.map(Int.init), zeroCount < message.count else", "guard let zeroCount = message.last.map({ min(Int($0), message.count - 1) }) else", "a padding count that does not fit is taken", "RunnerTests/padding"),
    m("Session/Direction.swift", "guard message.suffix(zeroCount + 1).dropLast().allSatisfy({ $0 == 0 }) else", "guard message.count > zeroCount else", "padding of any bytes is taken", "RunnerTests/padding"),
    m("Session/Direction.swift", "        counter += 1\n        guard let zeroCount", "        guard let zeroCount", "a frame may be repeated", "RunnerTests/padding"),
    m("Session/ScriptedSession.swift", "guard message.first == MessageType.update || message == [MessageType.shutdown] else {", "guard message.first != 99 else {", "who goes on after a mistake has refused it", "RunnerTests/goesOn"),
    m("Session/ScriptedSession.swift", "guard first == type else { throw Deviation(\"it sends a message of type", "guard first <= 3 else { throw Deviation(\"it sends a message of type", "any type of message is an answer", "RunnerTests/types"),
    m("Session/ScriptedSession.swift", "guard let first = message.first else { throw Deviation(\"it sends an empty message\") }", "guard let first = message.first else { continue }", "an empty message is nothing", "RunnerTests/types"),
    m("Session/TestCode.swift", "map[InvitationKey.channels]?.arrayValue != nil || asksForCredentials", "asksForCredentials", "key 6 shows no edition", "EditionTests/client"),
    # What is told.
    m("KnownDeviations.swift", "guard !reason.isEmpty else {", "guard !reason.isEmpty || index > 0 else {", "a known deviation needs no reason", "KnownDeviationsTests"),
    m("ConformanceReport.swift", "results.filter { if case .deviates = $0.verdict { known[$0.testCase.id] == nil } else { false } }", "results.filter { if case .deviates = $0.verdict { true } else { false } }", "a known deviation fails the run", "ReportTests/counts"),
    m("ConformanceReport.swift", "let isRepaired: Set<Verdict.Name> = [.passed, .observed]", "let isRepaired: Set<Verdict.Name> = [.passed]", "a known deviation that is observed now is none that went", "PolicyTests/known"),
    m("ConformanceReport.swift", "if let known = known[id] {", "if let known = known[id + \"x\"] {", "a known deviation fails in JUnit", "ReportTests/junit"),
    m("ConformanceReport.swift", "let isComplete = run.selection.isWhole && caseCount == run.selection.plannedCount", "let isComplete = run.selection.isWhole", "JUnit takes an interrupted run for a whole one", "RunnerTests/junit"),
    m("ConformanceReport.swift", "case \"<\": result += \"&lt;\"", "case \"<\": result += \"<\"", "a peer writes elements into JUnit", "ReportTests/junit"),
    m("Report/ExpectedResults.swift", "guard found[entry.id] != nil || ids.contains(entry.id) else {", "guard found.count >= 0 else {", "expected results of cases that are gone stay", "ExpectedResultsTests/takes"),
    m("Report/ExpectedResults.swift", "expected.keys.filter(isWanted)", "expected.keys", "cases that were not chosen differ", "ExpectedResultsTests/differences"),
    m("Report/ExpectedResults.swift", "Set(found.keys).union(expected.keys.filter(isWanted)).sorted()", "found.keys.sorted()", "a case that is gone makes no difference", "ExpectedResultsTests/differences"),
    m("Report/ExpectedResults.swift", "guard ids.insert(id).inserted else {", "guard ids.insert(id).inserted || !id.isEmpty else {", "a case has two expected results", "ExpectedResultsTests/refuses"),
    m("Report/CaseSelection.swift", "filters.isEmpty && profiles.isEmpty && (", "filters.isEmpty && (", "a profile is a whole run", "ProfileTests/isNamed"),
    m("Report/PublishedReport.swift", "public var isFinished: Bool { cases.count == plannedCount }", "public var isFinished: Bool { cases.count <= plannedCount }", "an interrupted run is finished", "PublishedReportTests/incomplete"),
    m("Report/PublishedReport.swift", "report.cases[index].standardError = cases[index].standardError.map(change)", "", "what is private in standard error is published", "RunnerTests/privacy"),
    m("Report/PublishedReport+Reading.swift", "for testCase in cases where !ids.insert(testCase.id).inserted {", "for testCase in cases where !ids.insert(testCase.id).inserted && ids.isEmpty {", "a report has a case twice", "PublishedReportTests/refusesPieces"),
    m("Report/PublishedReport+Reading.swift", "if let foreign = cases.first(where: { !$0.id.hasPrefix(\"\\(run.role.rawValue)/\") }) {", "if let foreign = cases.first(where: { $0.id.isEmpty }) {", "a report has cases of another role", "PublishedReportTests/refuses"),
    m("Report/PublishedReport+Reading.swift", "guard isFitting else {", "guard isFitting || true else {", "a report has a grade that does not fit", "PublishedReportTests/refuses"),
    m("Report/RuleOutcome.swift", "left.severity < right.severity", "left.severity > right.severity", "the best of a rule's cases counts", "RunnerTests/worst"),
    m("Report/RunDescription.swift", "run.environment = environment.map { Fact($0.name, change($0.value)) }", "", "what is private in the environment is published", "RunnerTests/privacy"),
    m("Report/HTML.swift", "case \"<\": markup += \"&lt;\"", "case \"<\": markup += \"<\"", "a peer writes elements into the page", "PublishedReportTests/page"),
    m("Report/HTML.swift", "case \"\\\"\": markup += \"&quot;\"", "case \"\\\"\": markup += \"\\\"\"", "a peer ends an attribute of the badge", "BadgeTests/hostile"),
    m("Report/HTML.swift", "case _ where scalar.isInvisible || scalar", "case _ where scalar", "a peer overrides the direction of the page", "PublishedReportTests/page"),
    m("Report/ReadableMessage.swift", "lines.count <= lineLimit && lines.map", "lines.map", "a peer makes a page as long as it likes", "ReadableMessageTests/bounds"),
    m("Report/ReadableMessage.swift", "!bytes.isEmpty, !entry.what.contains(\"cut or changed\")", "!bytes.isEmpty", "encrypted bytes are read as a message", "ReadableMessageTests/others"),
    m("Report/Badge.swift", "cases.filter { $0.known == nil }.map", "cases.map", "an accepted deviation makes the badge red", "BadgeTests/verdicts"),
    m("Report/Badge.swift", "if !isFinished { return \"interrupted\" }", "", "the badge of an interrupted run is good", "BadgeTests/verdicts"),
    m("Profile.swift", "editions.contains(where: testCase.rule.binds)", "!editions.isEmpty", "a profile of 2.2 has what is of 2.3", "ProfileTests/editions"),
    m("CaseList.swift", "return entry.rule == rule ? nil : ", "return entry.rule != \"\" ? nil : ", "an ID is used for another rule", "CaseListTests/changes"),
    m("CaseList.swift", "if let retirement = entry.retirement { return", "if let retirement = entry.retirement, rule.isEmpty { return", "a retired ID is used again", "CaseListTests/changes"),
    m("Record/TranscriptRecorder.swift", "        guard isWhole else {\n", "        guard isWhole || !opened.what.isEmpty else {\n", "a message that was changed is shown as if it had not been", "TranscriptTests/changed"),
    m("Record/TranscriptRecorder.swift", "guard state.tail.count > Transcript.tailLimit else { return }", "guard state.tail.count > .max - 1 else { return }", "a transcript grows without end", "TranscriptTests/bounds"),
    Mistake("Programs/hybrid-conformance/Conformance/ConformanceReporter.swift", "guard report.repaired.isEmpty else {", "guard report.repaired.count >= 0 else {", "a known deviation that went is no failure", "script conformance"),
    Mistake("Programs/hybrid-conformance/Conformance/ConformanceOptions.swift", "profile.ask(for: testCase) && isNamed", "isNamed", "--profile chooses nothing", "script conformance"),
    Mistake("Programs/hybrid-conformance/Conformance/ConformanceReporter.swift", "guard !differences.isEmpty else { return }", "guard differences.isEmpty else { return }", "differences from what is expected are no failure", "script conformance_report"),
]
