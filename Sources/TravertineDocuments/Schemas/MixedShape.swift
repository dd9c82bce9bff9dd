import Travertine

/// What of a value matters in a property of any type.
struct MixedShape {
    /// The arrays and documents in each other.
    var levels = 0
    /// Whether a document in it has names that are the same to Swift.
    var hasAlikeNames = false

    /// An array or a document around another value.
    mutating func add(_ inner: MixedShape) {
        levels = max(levels, inner.levels + 1)
        hasAlikeNames = hasAlikeNames || inner.hasAlikeNames
    }

    var unfit: UnfitValue? {
        if levels > ImportedObject.mixedDepthMax { return .tooDeep }
        return hasAlikeNames ? .sameName : nil
    }
}
