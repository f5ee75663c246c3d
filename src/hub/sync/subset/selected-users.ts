import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { isChannelEvent } from '../../merge/channel-registry.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { ReconcileQueue } from '../reconcile-queue.js'
import {
  addSelectedUsers,
  readSelectedUsers,
  removeSelectedUsers,
  type SelectedUserRow,
  selectionChannel,
  setConfiguredUsers,
} from './selected-rows.js'

/** The configured selection of users. */
export interface SubsetSettings {
  readonly fids: readonly number[]
  /** Parent URLs of channels whose authors are selected. */
  readonly channelUrls: readonly string[]
  /** Also selects whom the users of `fids` follow, and who reacts or replies to them. */
  readonly includeNeighbors: boolean
}

interface WatchOptions {
  /** Listens on the connection for all LISTEN of the process. */
  readonly listen: Database['listen']
  readonly signal: AbortSignal
  readonly log: Log
  readonly pollMs?: number
}

const FOLLOW = 'follow'
/** Longest delay until changes of another process are read. */
const POLL_MS = 5_000

/**
 * A selection that changes with what happens in it: an author in a selected channel stays selected, a
 * neighbor while it is one. Items of other users are ignored.
 */
export class SelectedUsers implements Selection {
  readonly isSubset = true
  readonly #db: Database
  readonly #configured: ReadonlySet<number>
  readonly #channelUrls: ReadonlySet<string>
  readonly #includeNeighbors: boolean
  /** Reasons by user, as `reason/via`. */
  #reasons = new Map<number, Set<string>>()
  /** Changes that are not written, by user and reason. A reason in both was removed and then added again. */
  #added = new Map<string, SelectedUserRow>()
  #removed = new Map<string, SelectedUserRow>()
  /** Users that other processes selected, until they are queued. */
  readonly #newFids = new Set<number>()
  /** The running read or write. */
  #lastTask: Promise<void> = Promise.resolve()

  private constructor(db: Database, { fids, channelUrls, includeNeighbors }: SubsetSettings) {
    this.#db = db
    this.#configured = new Set(fids)
    this.#channelUrls = new Set(channelUrls)
    this.#includeNeighbors = includeNeighbors
  }

  /** Creates the selection of the configuration and of earlier runs. */
  static async open(db: Database, settings: SubsetSettings): Promise<SelectedUsers> {
    await setConfiguredUsers(db, settings.fids)
    return await SelectedUsers.openStored(db, settings)
  }

  /** Creates the selection that is stored, without queueing or dropping any user: for a command beside the process that syncs. */
  static async openStored(db: Database, settings: SubsetSettings): Promise<SelectedUsers> {
    const users = new SelectedUsers(db, settings)
    await users.#read()
    return users
  }

  /**
   * Reads changes of other processes: a backfill finds neighbors, and another process may have synced before.
   * Their users are queued, since their items were ignored meanwhile.
   */
  reload(): Promise<void> {
    // Serialized: an unwritten change would be lost by the read.
    return this.#serialize(async () => {
      await this.#write()
      await this.#readOthers()
    })
  }

  takeOver(): Promise<void> {
    return this.#serialize(async () => {
      this.#added = new Map()
      this.#removed = new Map()
      await this.#readOthers()
    })
  }

  async #readOthers(): Promise<void> {
    const previousReasons = this.#reasons
    await this.#read()
    for (const fid of this.#reasons.keys()) if (!previousReasons.has(fid)) this.#newFids.add(fid)
    const reconcileQueue = new ReconcileQueue(this.#db)
    for (const fid of this.#newFids) reconcileQueue.add(fid, 'newly selected')
    await reconcileQueue.flush()
    this.#newFids.clear()
  }

  /** Reloads after each change by another process, until the signal aborts. */
  async watchChanges({ listen, signal, log, pollMs = POLL_MS }: WatchOptions): Promise<void> {
    let isOutdated = true
    const markOutdated = () => {
      isOutdated = true
    }
    // The driver reconnects this connection; notifications meanwhile are lost, hence the second callback.
    const listening = await listen(selectionChannel, markOutdated, markOutdated).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot listen for changes of the selection: polling instead')
      return null
    })
    while (!signal.aborted) {
      if (isOutdated || listening === null) {
        isOutdated = false
        await this.reload().catch((error) => {
          markOutdated()
          log.warn({ err: error }, 'cannot read the selection of other processes')
        })
      }
      await pause(pollMs, signal)
    }
    // If the connection is lost, there is nothing to unlisten.
    await listening?.unlisten().catch(() => {})
  }

  includes(item: MergeItem): boolean {
    // A transfer may take a name from a selected user, and transfers are few.
    if (item.kind === 'nameTransfer') return true
    // Channels belong to addresses, and any user may be a member of one.
    if (item.kind === 'chainEvent') return isChannelEvent(item.event) || this.#reasons.has(item.event.fid)
    this.#applyMessage(item.message)
    return this.#reasons.has(item.message.data.fid)
  }

  /** Serialized, so that the last change is written last. */
  flush(): Promise<void> {
    return this.#serialize(() => this.#write())
  }

  #serialize(work: () => Promise<void>): Promise<void> {
    const task = this.#lastTask.catch(() => {}).then(work)
    this.#lastTask = task
    return task
  }

  async #write(): Promise<void> {
    const [added, removed] = [this.#added, this.#removed]
    this.#added = new Map()
    this.#removed = new Map()
    try {
      await removeSelectedUsers(this.#db, [...removed.values()])
      await addSelectedUsers(this.#db, [...added.values()])
    } catch (error) {
      // The log is not read again for what memory has: the next attempt writes it, but for additions that are removed since.
      const unwritten = [...added].filter(([key]) => !this.#removed.has(key))
      this.#added = new Map([...unwritten, ...this.#added])
      this.#removed = new Map([...removed, ...this.#removed])
      throw error
    }
  }

  async #read(): Promise<void> {
    const rows = await readSelectedUsers(this.#db)
    this.#reasons = new Map()
    for (const row of rows) this.#addReason(row)
    // Changes since the rows were read.
    for (const row of this.#removed.values()) this.#removeReason(row)
    for (const row of this.#added.values()) this.#addReason(row)
  }

  #applyMessage(message: SignedMessage): void {
    const { fid, castAddBody, reactionBody } = message.data
    if (castAddBody?.parentUrl && this.#channelUrls.has(castAddBody.parentUrl)) {
      this.#add({ fid, reason: 'channel', via: 0 })
    }
    if (this.#configured.has(fid)) this.#applyFollows(message)
    if (!this.#includeNeighbors) return
    const targetFid = castAddBody?.parentCastId?.fid ?? reactionBody?.targetCastId?.fid
    if (targetFid !== undefined && this.#configured.has(targetFid))
      this.#add({ fid, reason: 'interaction', via: 0 })
  }

  /** Applies follows of configured users. An outdated follow is corrected when the user is compared. */
  #applyFollows({ data }: SignedMessage): void {
    const { fid: via, type, linkBody, linkCompactStateBody: compact } = data
    if (linkBody?.type === FOLLOW && linkBody.targetFid !== undefined) {
      const row: SelectedUserRow = { fid: linkBody.targetFid, reason: 'follow', via }
      if (type !== MessageType.LINK_ADD) this.#remove(row)
      else if (this.#includeNeighbors) this.#add(row)
    }
    if (compact?.type === FOLLOW) {
      const kept = new Set(compact.targetFids)
      const name = reasonKey({ reason: 'follow', via })
      for (const [fid, reasons] of this.#reasons) {
        if (reasons.has(name) && !kept.has(fid)) this.#remove({ fid, reason: 'follow', via })
      }
    }
  }

  #add(row: SelectedUserRow): void {
    if (!this.#reasons.get(row.fid)?.has(reasonKey(row))) this.#added.set(rowKey(row), row)
    this.#addReason(row)
  }

  #addReason(row: SelectedUserRow): void {
    const reasons = this.#reasons.get(row.fid) ?? new Set()
    this.#reasons.set(row.fid, reasons.add(reasonKey(row)))
  }

  #remove(row: SelectedUserRow): void {
    if (!this.#removeReason(row)) return
    this.#added.delete(rowKey(row))
    this.#removed.set(rowKey(row), row)
  }

  /** Returns false if there was no such reason. */
  #removeReason(row: SelectedUserRow): boolean {
    const reasons = this.#reasons.get(row.fid)
    if (!reasons?.delete(reasonKey(row))) return false
    if (reasons.size === 0) this.#reasons.delete(row.fid)
    return true
  }
}

function rowKey(row: SelectedUserRow): string {
  return `${row.fid}/${reasonKey(row)}`
}

function reasonKey({ reason, via }: Pick<SelectedUserRow, 'reason' | 'via'>): string {
  return `${reason}/${via}`
}

/** Decides which users are synced. */
export interface Selection {
  /** False for the whole network. */
  readonly isSubset: boolean
  /** Returns true if a new upstream item is to be merged. */
  includes(item: MergeItem): boolean
  /**
   * Reads what the process that synced before has stored, when this one begins, and forgets what it could not write when it synced
   * last: both are behind the cursor of the log, from which the rest comes again.
   */
  takeOver(): Promise<void>
  /** Writes changes of the selection. */
  flush(): Promise<void>
}

/** Selects the whole network. */
export const allUsers: Selection = {
  isSubset: false,
  includes: () => true,
  takeOver: async () => {},
  flush: async () => {},
}
