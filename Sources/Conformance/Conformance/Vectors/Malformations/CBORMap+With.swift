package import Encodings

extension CBORMap {
    /// The same map with another value for a key, or with one more; nil takes the key out.
    package func with(_ key: CBORValue, _ value: CBORValue?) -> Self {
        var changed = self
        changed[key] = value
        return changed
    }
}
