import Measurement

/// What the properties of a wide object are, computed from its number and the property's.
struct WideFacts {
    let id: Int

    init(_ id: Int) { self.id = id }

    /// A number below 100,000.
    func number(_ property: Int) -> Int {
        Int(RandomStream.mix(UInt64(id) &* 64 &+ UInt64(property)) % 100_000)
    }

    /// About a dozen characters.
    func text(_ property: Int) -> String { "Text \(number(property)) \(property)" }

    /// What `sumWide` adds up.
    var summand: Int { number(4) }
}
