import Synchronization

/// What lets a browser in: the token of the printed address, and single-use ones.
///
/// The browser that is opened gets another token than the printed one, which is worth nothing after
/// its first use, or after half a minute.
final class AccessToken: Sendable {
    /// The token of the printed address, and the value of the cookie: 256 random bits.
    let text: String
    /// What addresses of data begin with, and the cookie's path: 256 other random bits.
    ///
    /// Browsers send a cookie to every port of a host, and so to programs of other users, but only
    /// where the path begins as the cookie's does.
    let path: String
    private let singleUse = Mutex<[(text: String, end: ContinuousClock.Instant)]>([])

    /// How long a token that lets in once is good for.
    static let singleUseTime = Duration.seconds(30)

    init() {
        text = Self.random()
        path = Self.random()
    }

    /// A token that lets in once.
    ///
    /// - Parameter time: how long it is good for.
    func makeSingleUse(for time: Duration = singleUseTime) -> String {
        let token = Self.random()
        singleUse.withLock { $0.append((token, .now + time)) }
        return token
    }

    /// Whether a text is the token.
    func matches(_ candidate: String) -> Bool { Self.areEqual(candidate, text) }

    /// What follows the secret part of a path; nil if the path does not begin with it.
    func rest(ofPath candidate: String) -> String? {
        let parts = candidate.split(
            separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, Self.areEqual(String(parts[1]), path) else {
            return nil
        }
        return "/" + parts[2]
    }

    /// Whether a text is the token or one that lets in once, which it then does no more.
    func redeem(_ candidate: String) -> Bool {
        if matches(candidate) { return true }
        return singleUse.withLock { tokens in
            tokens.removeAll { $0.end <= .now }
            guard let place = tokens.firstIndex(where: { Self.areEqual(candidate, $0.text) })
            else { return false }
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
