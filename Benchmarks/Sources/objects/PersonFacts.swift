import Measurement

/// What a person's properties are, computed from its number, alike for all engines.
///
/// Persons 0..<N: `id` ascending; `name` one of 10,000, about 16 bytes; `age` 0–99; `email` about
/// 25 bytes, none for a quarter; `friend` a random person with a lower number, none for the first.
struct PersonFacts {
    static let nameCount = 10_000
    /// What `countNames` looks for; about one name in a hundred contains it.
    static let namePart = "77 "

    let id: Int
    private let bits: UInt64

    init(_ id: Int) {
        self.id = id
        bits = RandomStream.mix(UInt64(id) &+ 0x0B1E_C700)
    }

    static func name(_ index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: 4 - digits.count) + digits + " Travertina"
    }

    var nameIndex: Int { Int(bits % UInt64(Self.nameCount)) }
    var name: String { Self.name(nameIndex) }
    var age: Int { Int(bits >> 20 % 100) }
    var score: Double { Double(RandomStream.mix(bits) >> 11) / Double(1 << 53) }
    /// Seconds since 1970.
    var created: Double { 1_600_000_000 + Double(id) }
    var isActive: Bool { bits >> 40 & 1 == 1 }
    var email: String? {
        bits >> 41 & 3 == 0 ? nil : "person\(id)@travertine.example"
    }
    var friendId: Int? { id == 0 ? nil : Int(RandomStream.mix(bits &+ 1) % UInt64(id)) }
}
