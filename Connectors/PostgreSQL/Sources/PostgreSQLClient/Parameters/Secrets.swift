/// Passwords that must not appear in messages.
struct Secrets: Sendable {
    /// What is written instead.
    static let placeholder = "[password]"
    /// A shorter text is in too many words for its removal to hide it.
    private static let byteCountMin = 4

    private var values: [String] = []

    /// Adds a password, once.
    mutating func insert(_ secret: String) {
        guard secret.utf8.count >= Self.byteCountMin, !values.contains(secret) else { return }
        values.append(secret)
        // The longest first: one may be a part of another.
        values.sort { $0.utf8.count > $1.utf8.count }
    }

    /// A message without them.
    ///
    /// Goes by bytes: for Swift a letter and a combining accent are another character.
    func redact(_ message: String) -> String {
        var bytes = Array(message.utf8)
        for value in values { bytes.replace(Array(value.utf8), with: Self.placeholder.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
