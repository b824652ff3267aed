// Major type 7: simple values and floating-point numbers. Source: RFC 8949 section 3.3.

extension CBORDecoder {
    /// The simple value or number of a head.
    func simpleOrFloat(_ head: CBORHead) throws(CBORError) -> CBORValue {
        switch head.additional {
        case CBORSimpleNumber.false: return .bool(false)
        case CBORSimpleNumber.true: return .bool(true)
        case CBORSimpleNumber.null: return .null
        case CBORAdditional.indefinite: throw malformed("a break outside an item of indefinite length")
        case CBORAdditional.oneByte where head.argument < UInt64(CBORSimpleNumber.smallestExtended):
            throw malformed("a simple value in the wrong form")
        default: break
        }
        let isFloat = (CBORAdditional.twoBytes...CBORAdditional.eightBytes).contains(head.additional)
        guard mode == .lenient || takesFloats && isFloat else {
            throw unsupported("undefined, a float or an unknown simple value")
        }
        switch head.additional {
        case CBORSimpleNumber.undefined:
            return .undefined
        case CBORAdditional.twoBytes:
            return .float(Double(CBORHalf.widened(UInt16(truncatingIfNeeded: head.argument))))
        case CBORAdditional.fourBytes:
            return .float(Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument))))
        case CBORAdditional.eightBytes:
            return .float(Double(bitPattern: head.argument))
        default:
            guard let simple = CBORSimple(rawValue: UInt8(truncatingIfNeeded: head.argument)) else {
                throw malformed("a simple value in the wrong form")
            }
            return .simple(simple)
        }
    }
}
