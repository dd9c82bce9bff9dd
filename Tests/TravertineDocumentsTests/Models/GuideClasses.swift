import Foundation
import RealmSwift

// The classes that the pages "Model Data with Device Sync" and "Data Model Mapping" print, those of
// each listing in a separate namespace.

enum GuidePlain {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
    }
}

enum GuideToOne {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-one relationship
        @Persisted var dog: Dog?
    }
}

enum GuideToMany {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

enum GuideInverse {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        @Persisted var age = 0
        // The backlink to the `Person` who has this `Dog`.
        @Persisted(originProperty: "dogs") var person: LinkingObjects<Person>
    }

    class Person: Object {
        @Persisted(primaryKey: true) var _id = ObjectId()
        @Persisted var name = ""
        // To-many relationship - a person can have many dogs
        @Persisted var dogs: List<Dog>
    }
}

enum GuideMapping {
    typealias Object = HiddenObject

    class Dog: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var age: Int?
        @Persisted var breed: String?
        @Persisted var name: String = ""
        @Persisted var details: AnyRealmValue
    }
}

enum GuideEmbedded {
    typealias Object = HiddenObject
    typealias EmbeddedObject = HiddenEmbeddedObject

    class Address: EmbeddedObject {
        @Persisted var street: String?
        @Persisted var postalCode: String?
    }

    class Contact: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name: String
        @Persisted var address: Address?
    }
}
