import TravertineStore

/// A condition under construction: what the closure of `where` gets.
///
/// ```swift
/// realm.objects(City.self).where { $0.population > 1_000_000 && $0.country.code == "PT" }
/// ```
/// A member is a property, through links too; a link that is nil makes the value nil. Comparing a
/// collection, or a property of its objects, compares each: any that matches is enough, unless
/// `all` or `none` says otherwise.
@dynamicMemberLookup
public struct Query<T> {
    let node: QueryNode
    /// The collections of which the condition compares elements.
    let scope: QueryScope
    /// The collections that a path goes through or ends with, in order; none of what is no path.
    let pathCollections: [PropertyPath]

    init(
        _ operand: Operand, _ quantifier: Comparison.Quantifier = .any,
        scope: QueryScope, pathCollections: [PropertyPath] = []
    ) {
        node = .operand(operand, quantifier)
        self.scope = scope
        self.pathCollections = pathCollections
    }

    /// The object or value that a condition begins with.
    init() { self.init(.path(PropertyPath()), scope: .object) }

    /// What is compared; stops for a condition.
    var operand: Operand {
        guard case .operand(let operand, _) = node else {
            misuse(
                "A condition can't be compared: compare properties with values or with properties.")
        }
        return operand
    }

    var quantifier: Comparison.Quantifier {
        if case .operand(_, let quantifier) = node { quantifier } else { .any }
    }

    /// The path to a property; stops for everything else.
    var path: PropertyPath {
        guard case .path(let path) = operand else {
            misuse("A minimum, maximum, mean, sum or count has no properties or elements.")
        }
        return path
    }

    /// The path to the first collection on the path; nil if there is none.
    var collection: PropertyPath? {
        if case .elements(let collection) = scope { collection } else { nil }
    }

    /// The same path with further steps.
    func adding<Value>(_ steps: [PropertyPath.Step], isCollection: Bool) -> Query<Value> {
        let path = PropertyPath(path.steps + steps)
        return Query<Value>(
            .path(path), quantifier, scope: QueryScope(collection ?? (isCollection ? path : nil)),
            pathCollections: isCollection ? pathCollections + [path] : pathCollections)
    }

    /// The same operand or condition seen as another type.
    func retyped<Value>() -> Query<Value> {
        Query<Value>(node: node, scope: scope, pathCollections: pathCollections)
    }

    fileprivate init(node: QueryNode, scope: QueryScope, pathCollections: [PropertyPath]) {
        self.node = node
        self.scope = scope
        self.pathCollections = pathCollections
    }
}

// MARK: - Logic

extension Query where T == Bool {
    init(_ predicate: Predicate, scope: QueryScope) {
        node = .predicate(predicate)
        self.scope = scope
        pathCollections = []
    }

    /// The condition; a property of truth values is a condition itself.
    var predicate: Predicate {
        switch node {
        case .predicate(let predicate): predicate
        case .operand(let operand, let quantifier):
            .comparison(
                Comparison(operand, .equal, .constant(.bool(true)), quantifier: quantifier))
        }
    }

    /// Both conditions.
    public static func && (left: Query, right: Query) -> Query {
        Query(
            .all([left.predicate, right.predicate]),
            scope: left.scope.union(right.scope))
    }

    /// Either condition.
    public static func || (left: Query, right: Query) -> Query {
        Query(
            .any([left.predicate, right.predicate]),
            scope: left.scope.union(right.scope))
    }

    /// Not the condition.
    public static prefix func ! (operand: Query) -> Query {
        Query(.not(operand.predicate), scope: operand.scope)
    }
}

// MARK: - Quantifiers

extension Query where T: _HasPersistedType {
    /// The values at the end of a path through a collection, all of which must compare so; true if
    /// there are none.
    ///
    /// ```swift
    /// people.where { $0.dogs.age.all >= 3 }
    /// ```
    public var all: Query { quantified(.all) }

    /// The values at the end of a path through a collection, none of which may compare so; true if
    /// there are none.
    public var none: Query { quantified(.none) }
}

extension Query where T: _QueryCollection {
    /// The elements, all of which must compare so; true if there are none.
    ///
    /// ```swift
    /// students.where { $0.scores.all >= 50 }
    /// ```
    public var all: Query { quantified(.all) }

    /// The elements, none of which may compare so; true if there are none.
    public var none: Query { quantified(.none) }
}

extension Query {
    fileprivate func quantified(_ quantifier: Comparison.Quantifier) -> Query {
        Query(.path(path), quantifier, scope: scope, pathCollections: pathCollections)
    }
}

/// What a `Query` is.
enum QueryNode {
    /// Something that can be compared.
    case operand(Operand, Comparison.Quantifier)
    /// A condition.
    case predicate(Predicate)
}
