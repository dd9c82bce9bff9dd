import Travertine

/// An asymmetric type with a key and a list.
class Counted: AsymmetricObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: Double
    @Persisted var notes: List<String>
}
