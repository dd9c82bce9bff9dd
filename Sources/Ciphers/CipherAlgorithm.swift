/// The algorithms that a store can be encrypted with, as their numbers in files say.
package enum CipherAlgorithm: UInt32, CaseIterable, Sendable {
    case aes256GCM = 1
    case chaCha20Poly1305 = 2

    /// The faster one here.
    package static var preferred: CipherAlgorithm {
        hasHardwareAES ? .aes256GCM : .chaCha20Poly1305
    }
}
