import Locks

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
/// A base class, which may be without properties, says it for all its subclasses; `setForModule`
/// says it for the classes of a module and `setForAllModules` for all that nobody says it for.
/// Names that collide are an error at opening.
public enum NamingPolicy: Sendable {
    /// As it is declared.
    case asDeclared
    /// Words in lower case with `_` between them: `homeURL` is `home_url`, `URLText` is `url_text`.
    case snakeCase
    /// Words without `_`, all but the first with a capital: `first_name` is `firstName`.
    case camelCase

    /// The stored name for a Swift name.
    public func storedName(_ name: String) -> String {
        switch self {
        case .asDeclared: name
        case .snakeCase: Self.snakeCase(name)
        case .camelCase: Self.camelCase(name)
        }
    }

    // MARK: Modules

    private struct Modules {
        var policies: [String: NamingPolicy] = [:]
        var other = NamingPolicy.asDeclared
    }

    private static let modules = Locked(Modules())

    /// Sets the policy of the classes of a module that don't have their own.
    ///
    /// To be called before the first realm is opened: a class keeps the names it was first used
    /// with.
    public static func setForModule(_ module: String, _ policy: NamingPolicy) {
        modules.withLock { $0.policies[module] = policy }
    }

    /// Sets the policy of the classes that neither themselves nor their module has one for.
    ///
    /// To be called before the first realm is opened: a class keeps the names it was first used
    /// with.
    public static func setForAllModules(_ policy: NamingPolicy) {
        modules.withLock { $0.other = policy }
    }

    /// The policy of the module that a class is declared in.
    static func ofModule(of type: ObjectBase.Type) -> NamingPolicy {
        let name = String(reflecting: type).prefix { $0 != "." }
        return modules.withLock { $0.policies[String(name)] ?? $0.other }
    }

    // MARK: Words

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        guard let first = words.first else { return name }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return name.prefix { $0 == "_" } + first + rest.joined()
    }

    private static func snakeCase(_ name: String) -> String {
        let letters = Array(name)
        var stored = ""
        for (index, letter) in letters.enumerated() {
            let isAfterWord =
                index > 0 && (letters[index - 1].isLowercase || letters[index - 1].isNumber)
            let isBeforeWord =
                index > 0 && letters[index - 1].isUppercase && index + 1 < letters.count
                && letters[index + 1].isLowercase
            if letter.isUppercase, isAfterWord || isBeforeWord { stored.append("_") }
            stored += letter.lowercased()
        }
        return stored
    }
}
