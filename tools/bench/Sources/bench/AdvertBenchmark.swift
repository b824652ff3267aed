internal import CFloor
internal import Cryptography
internal import HybridProtocol
internal import Measuring

/// Foreign adverts, which a scanner in a busy place hears thousands of, against one bare HMAC each.
func advertBenchmark() throws {
    Report.title("Foreign adverts refused, against one bare EVP_MAC each")
    try check(floor_prepare(), "floor_prepare")
    let eidKey = randomBytes(count: AdvertKey.byteCount)
    var key = try AdvertKey(eidKey: eidKey.span)
    let adverts = try (0..<advertsPerBlock).map { _ in randomBytes(count: AdvertKey.advertByteCount) }
    let code = floor_code_new(Array(eidKey.suffix(SHA256.byteCount)))
    defer { floor_code_free(code) }

    func matches(_ advert: [UInt8]) -> Bool {
        advert.withUnsafeBufferPointer { advert in
            floor_code_matches(code, advert.baseAddress, advert.baseAddress?.advanced(by: AdvertPlaintext.byteCount))
                == 1
        }
    }
    let comparison = try Comparison(count: advertsPerBlock) { stopwatch, _ in
        var opened = 0
        stopwatch.time { for advert in adverts where opens(advert, &key) { opened += 1 } }
        guard opened == 0 else { throw BenchError("a foreign advert opened") }
    } floor: { stopwatch, _ in
        var opened = 0
        stopwatch.time { for advert in adverts where matches(advert) { opened += 1 } }
        guard opened == 0 else { throw BenchError("a foreign advert matched") }
    }
    Report.line("refuse a foreign advert", comparison)
    let rate = Double(nanosecondsPerSecond) / comparison.ours
    Report.line("foreign adverts a second a core", rate, unit: "", atLeast: 1_000_000)
    let ours = Allocations.count { for advert in adverts { _ = opens(advert, &key) } }
    let floor = Allocations.count { for advert in adverts { _ = matches(advert) } }
    let added = Double(ours - floor) / Double(adverts.count)
    Report.line("allocations an advert beyond the floor's", added, unit: "", atMost: 0)
}

private let advertsPerBlock = 500

private func opens(_ advert: [UInt8], _ key: inout AdvertKey) -> Bool {
    do {
        _ = try key.open(advert.span)
        return true
    } catch {
        return false
    }
}
