/// The two forms of MongoDB Extended JSON, version 2.
public enum ExtendedJSONMode: Sendable, Hashable {
    /// Every value keeps its type: `{"$numberInt": "1"}`.
    case canonical
    /// Numbers and dates as people write them, where that loses nothing but the width of integers.
    case relaxed
}
