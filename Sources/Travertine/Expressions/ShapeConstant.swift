/// A shape that points are looked for in.
enum ShapeConstant: Hashable {
    case box(GeoBox)
    case circle(GeoCircle)
    case polygon(GeoPolygon)
    /// A user's own shape, which is equal to nothing else and has no text.
    case other(any GeoShape, Identity)

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.box(let left), .box(let right)): left == right
        case (.circle(let left), .circle(let right)): left == right
        case (.polygon(let left), .polygon(let right)): left == right
        case (.other(_, let left), .other(_, let right)): left === right
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .box(let shape): hasher.combine(shape)
        case .circle(let shape): hasher.combine(shape)
        case .polygon(let shape): hasher.combine(shape)
        case .other(_, let identity): hasher.combine(ObjectIdentifier(identity))
        }
    }

    init(_ shape: any GeoShape) {
        switch shape {
        case let box as GeoBox: self = .box(box)
        case let circle as GeoCircle: self = .circle(circle)
        case let polygon as GeoPolygon: self = .polygon(polygon)
        default: self = .other(shape, Identity())
        }
    }

    final class Identity: Sendable {}

    var shape: any GeoShape {
        switch self {
        case .box(let shape): shape
        case .circle(let shape): shape
        case .polygon(let shape): shape
        case .other(let shape, _): shape
        }
    }

    /// What the shape is, in one word.
    var title: String {
        switch self {
        case .box: "box"
        case .circle: "circle"
        case .polygon: "polygon"
        case .other: "shape"
        }
    }
}
