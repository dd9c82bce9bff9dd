@_exported import Foundation
@_exported import Travertine

/// A property to sort by, and the direction; `import RealmSwift` means this one and not
/// Foundation's.
public typealias SortDescriptor = Travertine.SortDescriptor
