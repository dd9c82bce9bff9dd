/// A place in a segment where a batch is likely to begin.
struct BatchStart: Hashable {
    var salt: UInt64
    var offset: Int
}
