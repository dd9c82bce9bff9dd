import OrderedIndex
import SegmentLog

/// What opening hands to the store.
package struct OpenedStore: ~Copyable {
    var log: SegmentLog
    var index: Index
    var checkpoints: CheckpointKeeper
    var usage: SegmentUsage
    package var keyspaces: [KeyspaceDefinition]
    package var report: OpeningReport
    var pages: [AttachedPages]
    var damage: PageDamage
}
