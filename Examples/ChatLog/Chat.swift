import Foundation
import Travertine

/// The chat's rules, on top of a realm.
struct Chat {
    let realm: Realm

    /// Opens the log in a directory; makes it the first time.
    init(directory: URL) throws {
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.appendingPathComponent("chat.realm"),
                objectTypes: [Member.self, Attachment.self, Message.self, Room.self]))
    }

    /// Makes a room with members, who come online by that.
    func open(_ name: String, members handles: [String]) throws -> Room {
        try realm.write {
            let room = realm.create(Room.self, value: ["name": name], update: .modified)
            for handle in handles {
                let member = realm.create(
                    Member.self, value: ["handle": handle, "presence": "online"],
                    update: .modified)
                if !room.members.contains(member) { room.members.append(member) }
            }
            return room
        }
    }

    /// Writes a message. All of it is on the disk when this returns.
    @discardableResult
    func post(
        _ text: String, to room: Room, by author: Member, at time: Date,
        files: [(name: String, byteCount: Int)] = []
    ) throws -> Message {
        try realm.write {
            let message = Message()
            message.id = ObjectId.generate()
            message.text = text
            message.sentAt = time
            message.author = author
            for file in files {
                let attachment = Attachment()
                attachment.name = file.name
                attachment.byteCount = file.byteCount
                message.attachments.append(attachment)
            }
            for word in text.split(separator: " ") where word.hasPrefix("@") {
                message.mentions.insert(String(word.dropFirst()))
            }
            room.messages.append(message)
            return message
        }
    }

    /// Counts a reaction.
    func react(_ reaction: String, to message: Message) throws {
        try realm.write {
            message.reactions[reaction] = (message.reactions[reaction] ?? 0) + 1
        }
    }

    /// The messages that mention somebody, the newest first.
    func mentions(of handle: String) -> Results<Message> {
        realm.objects(Message.self)
            .where { $0.mentions.contains(handle) }
            .sorted(byKeyPath: "sentAt", ascending: false)
    }

    /// The messages with some text, whatever its case, between two times.
    func search(_ text: String, from start: Date, to end: Date) -> Results<Message> {
        realm.objects(Message.self)
            .where {
                $0.text.contains(text, options: .caseInsensitive) && $0.sentAt >= start
                    && $0.sentAt < end
            }
            .sorted(byKeyPath: "sentAt")
    }
}
