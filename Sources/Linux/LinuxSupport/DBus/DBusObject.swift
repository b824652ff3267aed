/// An object of ours with one interface, and the answers to the calls that every object gets: introspection and
/// properties, which can be read only.
///
/// Source: D-Bus Specification 0.43, "Standard Interfaces". The library answers those of Peer.
package struct DBusObject: Sendable {
    /// A named value of a method or a signal.
    package struct Argument: Sendable {
        let name: String
        let type: String

        package init(_ name: String, _ type: String) {
            self.name = name
            self.type = type
        }
    }

    /// A method. It is called with values of exactly these types.
    package struct Method: Sendable {
        let name: String
        let arguments: [Argument]
        let results: [Argument]
        let answer: @Sendable (DBusMessage) async -> DBusAnswer

        package init(
            _ name: String, _ arguments: [Argument] = [], returns results: [Argument] = [],
            answer: @escaping @Sendable (DBusMessage) async -> DBusAnswer
        ) {
            self.name = name
            self.arguments = arguments
            self.results = results
            self.answer = answer
        }

        var signature: String { arguments.map(\.type).joined() }
    }

    /// A property.
    package struct Property: Sendable {
        let name: String
        let type: String
        let value: @Sendable () async -> DBusValue

        package init(_ name: String, _ type: String, value: @escaping @Sendable () async -> DBusValue) {
            self.name = name
            self.type = type
            self.value = value
        }
    }

    /// A signal, for the introspection.
    package struct Signal: Sendable {
        let name: String
        let arguments: [Argument]

        package init(_ name: String, _ arguments: [Argument] = []) {
            self.name = name
            self.arguments = arguments
        }
    }

    private static let properties = "org.freedesktop.DBus.Properties"
    private static let introspectable = "org.freedesktop.DBus.Introspectable"

    private let path: String
    private let interface: String
    private let methods: [Method]
    private let properties: [Property]
    private let signals: [Signal]
    private let permits: @Sendable (_ sender: String) async -> Bool

    /// - Parameters:
    ///   - path: the object's path.
    ///   - interface: its interface's name.
    ///   - methods: its methods.
    ///   - properties: its properties.
    ///   - signals: its signals.
    ///   - permits: true if a caller, by its unique name, may call a method or read a property.
    package init(
        at path: String, _ interface: String, methods: [Method], properties: [Property], signals: [Signal] = [],
        permits: @escaping @Sendable (_ sender: String) async -> Bool
    ) {
        self.path = path
        self.interface = interface
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.permits = permits
    }

    /// The answer to a call.
    package func answer(_ call: DBusMessage) -> DBusAnswer {
        guard call.path == path else { return .unknownObject }
        switch (call.interface, call.member, call.signature) {
        case (Self.introspectable, "Introspect", ""): return .reply([.string(introspection)])
        case (Self.properties, "Get", "ss"): return get(call)
        case (Self.properties, "GetAll", "s"): return getAll(call)
        case (Self.properties, "Set", "ssv"): return .readOnlyProperty
        case (Self.properties, "Get", _), (Self.properties, "GetAll", _), (Self.properties, "Set", _),
            (Self.introspectable, "Introspect", _):
            return .invalidArguments("\(call.member) takes other values")
        // A call need not name the interface.
        case (interface, _, _), ("", _, _): return callMethod(call)
        case (Self.introspectable, _, _), (Self.properties, _, _): return .unknownMethod
        default: return .unknownInterface
        }
    }

    private func callMethod(_ call: DBusMessage) -> DBusAnswer {
        guard let method = methods.first(where: { $0.name == call.member }) else { return .unknownMethod }
        guard call.signature == method.signature else {
            return .invalidArguments(
                "\(method.name) takes "
                    + (method.arguments.isEmpty ? "nothing" : "values of the types \(method.signature)")
            )
        }
        return permitted(call) { await method.answer(call) }
    }

    private func get(_ call: DBusMessage) -> DBusAnswer {
        guard call.body[0].stringValue == interface else { return .unknownInterface }
        guard let property = properties.first(where: { $0.name == call.body[1].stringValue }) else {
            return .unknownProperty
        }
        return permitted(call) { .reply([.variant(await property.value())]) }
    }

    private func getAll(_ call: DBusMessage) -> DBusAnswer {
        guard call.body[0].stringValue == interface else { return .unknownInterface }
        return permitted(call) { [properties] in
            var values: [String: DBusValue] = [:]
            for property in properties { values[property.name] = await property.value() }
            return .reply([.dictionary(values)])
        }
    }

    private func permitted(
        _ call: DBusMessage, _ work: @escaping @Sendable () async -> DBusAnswer
    ) -> DBusAnswer {
        .later { [permits] in await permits(call.sender) ? await work() : .accessDenied }
    }

    /// The description of the object, in XML.
    private var introspection: String {
        func lines(_ arguments: [Argument], _ direction: String) -> [String] {
            arguments.map { "   <arg name=\"\($0.name)\" type=\"\($0.type)\"\(direction)/>" }
        }
        var text = [
            #"<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN""#,
            #" "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">"#, "<node>",
            " <interface name=\"\(interface)\">",
        ]
        for method in methods {
            text.append("  <method name=\"\(method.name)\">")
            text += lines(method.arguments, " direction=\"in\"") + lines(method.results, " direction=\"out\"")
            text.append("  </method>")
        }
        for signal in signals {
            text += ["  <signal name=\"\(signal.name)\">"] + lines(signal.arguments, "") + ["  </signal>"]
        }
        for property in properties {
            text.append("  <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"read\"/>")
        }
        return (text + [" </interface>", "</node>", ""]).joined(separator: "\n")
    }
}
