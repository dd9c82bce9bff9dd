// A chat's log: rooms, messages in order, members, reactions, attachments.
//
//     swift run --package-path Examples ChatLog
import Foundation
import Travertine

let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("travertine-chat-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let start = Date(timeIntervalSince1970: 1_700_000_000)

let chat = try Chat(directory: directory)
let room = try chat.open("lime", members: ["ada", "grace", "edsger"])
let ada = room.members[0]
let grace = room.members[1]

try chat.post("Has anyone seen the survey of the quarry?", to: room, by: ada, at: start)
let answer = try chat.post(
    "Here it is, @ada and @edsger", to: room, by: grace, at: start + 60,
    files: [("survey.pdf", 1_250_000), ("map.png", 480_000)])
try chat.react("👍", to: answer)
try chat.react("👍", to: answer)
try chat.react("🪨", to: answer)
// A day of talk, in one transaction: nothing of it is seen before all of it is.
try chat.realm.write {
    for minute in 0..<1440 {
        let message = Message()
        message.id = ObjectId.generate()
        message.text = "Minute \(minute) of the day"
        message.sentAt = start + 120 + Double(minute) * 60
        message.author = room.members[minute % 3]
        room.messages.append(message)
    }
}

print("\(room.name): \(room.messages.count) messages by \(room.members.count) members")
for member in room.members {
    print("  \(member.handle) (\(member.presence)) wrote \(member.messages.count)")
}
print("the last three:")
for message in room.messages.suffix(3) {
    print("  \(message.author?.handle ?? "-"): \(message.text)")
}
print("edsger is mentioned in:")
for message in chat.mentions(of: "edsger") {
    let files = message.attachments.map { "\($0.name), \($0.byteCount / 1000) kB" }
    let reactions = message.reactions.keys.sorted().map { "\($0)\(message.reactions[$0] ?? 0)" }
    print("  \(message.text) [\(files.joined(separator: "; "))] \(reactions.joined())")
}
let found = chat.search("minute 14", from: start, to: start + 86_400)
print("“minute 14” is in \(found.count) messages of the first day")

// A room goes with its messages, and they with their attachments; members stay.
try chat.realm.write { chat.realm.delete(room) }
print(
    "after the room: \(chat.realm.objects(Message.self).count) messages,",
    "\(chat.realm.objects(Member.self).count) members")
