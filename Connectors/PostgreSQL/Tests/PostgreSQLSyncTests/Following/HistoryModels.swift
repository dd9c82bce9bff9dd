import Foundation
import Travertine

/// The types of random histories, as they are in the beginning.
enum HistoryModels {
    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var home: Home?
        @Persisted var friend: Person?
        @Persisted var box: Box?
        @Persisted var marks: List<Int>
        @Persisted var anything: AnyRealmValue
        override class func objectTypeName() -> String { "Person" }
    }

    class Box: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var weight: Double
        @Persisted var labels: MutableSet<String>
        @Persisted var named: Map<String, Int>
        override class func objectTypeName() -> String { "Box" }
    }

    class Ticket: Object {
        @Persisted(primaryKey: true) var code: String?
        @Persisted var notes: List<String?>
        @Persisted var places: List<Home>
        override class func objectTypeName() -> String { "Ticket" }
    }

    class Loose: Object {
        @Persisted var number: Int
        @Persisted var boxes: List<Box>
        override class func objectTypeName() -> String { "Loose" }
    }

    class Home: EmbeddedObject {
        @Persisted var street: String
        @Persisted var rooms: List<Int>
        override class func objectTypeName() -> String { "Home" }
    }

    class Reading: AsymmetricObject {
        @Persisted var number: Int
        @Persisted var parts: List<Int>
        override class func objectTypeName() -> String { "Reading" }
    }

    static let types: [ObjectBase.Type] = [
        Person.self, Box.self, Ticket.self, Loose.self, Home.self, Reading.self,
    ]

    /// A type, and properties with defaults, that come later.
    enum Later {
        class Box: Object {
            @Persisted(primaryKey: true) var code: String
            @Persisted var weight: Double
            @Persisted var labels: MutableSet<String>
            @Persisted var named: Map<String, Int>
            @Persisted var colour = "red"
            @Persisted var height: Int?
            override class func objectTypeName() -> String { "Box" }
        }

        class Loose: Object {
            @Persisted var number: Int
            @Persisted var boxes: List<Box>
            @Persisted var tags: List<String>
            override class func objectTypeName() -> String { "Loose" }
        }

        class Person: Object {
            @Persisted(primaryKey: true) var id: Int
            @Persisted var name: String
            @Persisted var home: Home?
            @Persisted var friend: Person?
            @Persisted var box: Box?
            @Persisted var marks: List<Int>
            @Persisted var anything: AnyRealmValue
            override class func objectTypeName() -> String { "Person" }
        }

        class Added: Object {
            @Persisted(primaryKey: true) var id: UUID
            override class func objectTypeName() -> String { "Added" }
        }

        static let types: [ObjectBase.Type] = [
            Person.self, Box.self, Ticket.self, Loose.self, Home.self, Reading.self, Added.self,
        ]
    }
}
