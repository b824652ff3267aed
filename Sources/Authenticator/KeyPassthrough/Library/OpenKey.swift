internal import COptionalLibraries
internal import CTAP
internal import Glibc

/// A key that is open.
struct OpenKey: ~Copyable {
    let device: OpaquePointer
    private let path: String
    private let isSocket: Bool
    private let limit: Duration
    private let began = ContinuousClock.now

    private init(_ device: OpaquePointer, _ path: String, isSocket: Bool, limit: Duration) {
        self.device = device
        self.path = path
        self.isSocket = isSocket
        self.limit = limit
    }

    /// Opens a key, and asks it what it can do.
    static func open(_ path: String, isSocket: Bool, limit: Duration) throws(KeyFailure) -> OpenKey {
        guard let device = fido_dev_new() else { throw .fault("out of memory") }
        let key = OpenKey(device, path, isSocket: isSocket, limit: limit)
        try key.check(fido_dev_set_timeout(device, key.milliseconds))
        if isSocket {
            var functions = SocketReports.functions
            try key.check(fido_dev_set_io_functions(device, &functions))
        }
        try key.check(fido_dev_open(device, path))
        guard fido_dev_is_fido2(device) else { throw .u2fOnly }
        return key
    }

    deinit {
        fido_dev_close(device)
        var device: OpaquePointer? = device
        fido_dev_free(&device)
    }

    /// The longest time for a request, as the library takes it.
    var milliseconds: Int32 {
        let milliseconds = limit.components.seconds.multipliedReportingOverflow(by: 1_000)
        return milliseconds.overflow ? .max : Int32(clamping: milliseconds.partialValue)
    }

    /// Longest time after its key that the kernel takes a node away: 2 s in steps of 20 ms, in microseconds.
    private static let (removalSteps, removalStep) = (100, UInt32(20_000))

    /// True if the node has gone with its key, or goes soon; a socket can stay.
    private var isGone: Bool {
        for _ in 0..<Self.removalSteps {
            guard access(path, F_OK) == 0 else { return true }
            usleep(Self.removalStep)
        }
        return false
    }

    /// Turns a result of the library into a failure, unless it is a success.
    func check(_ result: Int32) throws(KeyFailure) {
        guard result != FIDO_OK else { return }
        if result == FIDO_ERR_PIN_INVALID {
            var triesLeft: Int32 = 0
            let isKnown = fido_dev_get_retry_count(device, &triesLeft) == FIDO_OK
            throw .wrongPIN(triesLeft: isKnown ? Int(triesLeft) : nil)
        }
        switch result {
        case FIDO_ERR_TX, FIDO_ERR_RX, FIDO_ERR_INTERNAL:
            guard .now - began < limit else { throw .noAnswer }
            throw isSocket || isGone ? .removed : .fault("it has broken off")
        default: break
        }
        guard let status = UInt8(exactly: result) else {
            throw .fault(fido_strerr(result).map { String(cString: $0) } ?? "error \(result)")
        }
        throw .refused(CTAPStatus(rawValue: status))
    }

    func information() throws(KeyFailure) -> KeyInformation {
        var information = fido_cbor_info_new()
        defer { fido_cbor_info_free(&information) }
        guard let info = information else { throw .fault("out of memory") }
        try check(fido_dev_get_cbor_info(device, info))
        var options: [String: Bool] = [:]
        let names = Self.texts(fido_cbor_info_options_name_ptr(info), fido_cbor_info_options_len(info))
        if let values = fido_cbor_info_options_value_ptr(info) {
            for (index, name) in names.enumerated() { options[name] = values[index] }
        }
        let versions = Self.texts(fido_cbor_info_versions_ptr(info), fido_cbor_info_versions_len(info))
        guard versions.contains(where: { $0.hasPrefix("FIDO_2") }) else {
            throw versions.isEmpty ? .fault("it supports no version of the protocol") : .u2fOnly
        }
        let aaguid = Self.bytes(fido_cbor_info_aaguid_ptr(info), fido_cbor_info_aaguid_len(info))
        guard aaguid.count == AttestedCredential.aaguidByteCount else {
            throw .fault("an AAGUID of another length")
        }
        let algorithms = (0..<fido_cbor_info_algorithm_count(info)).map {
            COSEAlgorithm(rawValue: Int64(fido_cbor_info_algorithm_cose(info, $0)))
        }
        return KeyInformation(
            aaguid: aaguid,
            extensions: Set(
                Self.texts(fido_cbor_info_extensions_ptr(info), fido_cbor_info_extensions_len(info))),
            options: options,
            transports: Self.texts(fido_cbor_info_transports_ptr(info), fido_cbor_info_transports_len(info)),
            algorithms: algorithms.filter(Self.algorithms.contains),
            maxCredentialCountInList: Self.limit(fido_cbor_info_maxcredcntlst(info)),
            maxCredentialIDByteCount: Self.limit(fido_cbor_info_maxcredidlen(info)))
    }

    /// The algorithms that the library knows.
    private static let algorithms: [COSEAlgorithm] = [
        .es256, .edDSA, .rs256, COSEAlgorithm(rawValue: Int64(COSE_ES384)),
    ]

    /// A number of which 0 stands for none.
    private static func limit(_ number: UInt64) -> Int? { number == 0 ? nil : Int(clamping: number) }

    private static func texts(_ texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int)
        -> [String]
    {
        guard let texts else { return [] }
        return (0..<count).map { index in texts[index].map { String(cString: $0) } ?? "" }
    }

    /// Bytes of the library's.
    static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
