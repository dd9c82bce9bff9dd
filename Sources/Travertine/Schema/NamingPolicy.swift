/// How the stored name of a property is made of its Swift name, where `propertiesMapping` says
/// nothing of it.
///
/// ```swift
/// class Model: Object {
///     override class func namingPolicy() -> NamingPolicy { .snakeCase }
/// }
/// class Person: Model {
///     @Persisted var firstName: String    // stored as first_name
/// }
/// ```
/// A base class says it for all its subclasses. Names that collide are an error at opening.
public enum NamingPolicy: Sendable {
    /// As it is declared.
    case asDeclared
    /// Words in lower case with `_` between them: `homeURL` is `home_url`, `URLText` is `url_text`.
    case snakeCase

    /// The stored name for a Swift name.
    public func storedName(_ name: String) -> String {
        guard self == .snakeCase else { return name }
        let letters = Array(name)
        var stored = ""
        for (place, letter) in letters.enumerated() {
            let isAfterWord =
                place > 0 && (letters[place - 1].isLowercase || letters[place - 1].isNumber)
            let isBeforeWord =
                place > 0 && letters[place - 1].isUppercase && place + 1 < letters.count
                && letters[place + 1].isLowercase
            if letter.isUppercase, isAfterWord || isBeforeWord { stored.append("_") }
            stored += letter.lowercased()
        }
        return stored
    }
}
