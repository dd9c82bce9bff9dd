import Foundation
import Travertine

enum Presence: String, PersistableEnum {
    case online, away, offline
}

/// A member of the chat.
final class Member: Object {
    @Persisted(primaryKey: true) var handle: String
    @Persisted var presence: Presence = .offline
    /// What this member wrote: no list that must be kept up to date, but the other end of
    /// `Message.author`.
    @Persisted(originProperty: "author") var messages: LinkingObjects<Message>
}

/// A file that belongs to one message, and goes with it.
final class Attachment: EmbeddedObject {
    @Persisted var name: String
    @Persisted var byteCount: Int
}

final class Message: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var text: String
    @Persisted(indexed: true) var sentAt: Date
    @Persisted var author: Member?
    @Persisted var attachments: List<Attachment>
    /// The number of each reaction.
    @Persisted var reactions: Map<String, Int>
    @Persisted var mentions: MutableSet<String>
    @Persisted(originProperty: "messages") var room: LinkingObjects<Room>
}

/// A room has its messages in the order in which they came.
final class Room: Object {
    @Persisted(primaryKey: true) var name: String
    /// The messages of a room that is deleted go with it.
    @Persisted(deleteRule: .cascade) var messages: List<Message>
    @Persisted var members: List<Member>
}
