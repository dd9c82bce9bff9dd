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
    func redact(_ message: String) -> String {
        var message = message
        for value in values { message = message.replacing(value, with: Self.placeholder) }
        return message
    }
}
