import Synchronization

/// What lets a browser in: the token of the printed address, and single-use ones.
///
/// The address that is handed to a program which opens a browser can be read by other users of the
/// machine in the list of processes, so it has another token that is worth nothing after its
/// first use.
final class AccessToken: Sendable {
    /// The token of the printed address, and the value of the cookie: 256 random bits.
    let text: String
    private let singleUse = Mutex<[String]>([])

    init() { text = Self.random() }

    /// A token that lets in once.
    func makeSingleUse() -> String {
        let token = Self.random()
        singleUse.withLock { $0.append(token) }
        return token
    }

    /// Whether a text is the token.
    func matches(_ candidate: String) -> Bool { Self.areEqual(candidate, text) }

    /// Whether a text is the token or one that lets in once, which it then does no more.
    func redeem(_ candidate: String) -> Bool {
        if matches(candidate) { return true }
        return singleUse.withLock { tokens in
            guard let place = tokens.firstIndex(where: { Self.areEqual(candidate, $0) }) else {
                return false
            }
            tokens.remove(at: place)
            return true
        }
    }

    /// 256 bits from the system's generator, in hexadecimal digits.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares in a time that does not depend on where the texts differ.
    private static func areEqual(_ left: String, _ right: String) -> Bool {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for place in left.indices { difference |= left[place] ^ right[place] }
        return difference == 0
    }
}
