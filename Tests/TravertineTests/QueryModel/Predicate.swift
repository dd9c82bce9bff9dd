@testable import Travertine

/// Foundation has a type of the same name.
typealias Predicate = Travertine.Predicate
