/// A record that can't be used: the line it begins on and the reason.
struct InvalidRecord: Error {
    let line: Int
    let reason: String
}
