import { MessageType } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import type { SignedMessage } from '../../../protocol/message.js'
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

/** Which part of the network is followed. */
export interface SubsetSettings {
  readonly fids: readonly number[]
  /** The parent URLs of channels whose authors are followed. */
  readonly channelUrls: readonly string[]
  /** Whether those are followed, too, whom the users of `fids` follow, and who react or reply to them. */
  readonly includeNeighbors: boolean
}

const FOLLOW = 'follow'
/** How long whom another process has found goes unheard. */
const POLL_MS = 5_000

/**
 * A part of the network, which grows and shrinks with what happens in it: who casts in a channel that is followed
 * belongs to it from then on, and a neighbour for as long as it is one. What is new of all others is passed over.
 */
export class SelectedUsers implements Selection {
  readonly #db: Database
  readonly #configured: ReadonlySet<number>
  readonly #channelUrls: ReadonlySet<string>
  readonly #includeNeighbors: boolean
  /** The reasons for each user, as `reason/via`. */
  #reasons = new Map<number, Set<string>>()
  /** What is not written down yet, by user and reason. What is in both was dropped, and then added again. */
  #added = new Map<string, SelectedUserRow>()
  #removed = new Map<string, SelectedUserRow>()
  /** Whom others have found, until it is written down that they are to be compared. */
  readonly #newFids = new Set<number>()
  /** What is read or written at the moment. */
  #lastTask: Promise<void> = Promise.resolve()

  private constructor(db: Database, { fids, channelUrls, includeNeighbors }: SubsetSettings) {
    this.#db = db
    this.#configured = new Set(fids)
    this.#channelUrls = new Set(channelUrls)
    this.#includeNeighbors = includeNeighbors
  }

  /** Begins with whom the settings name and earlier runs have found. */
  static async open(db: Database, settings: SubsetSettings): Promise<SelectedUsers> {
    await setConfiguredUsers(db, settings.fids)
    const users = new SelectedUsers(db, settings)
    await users.#read()
    return users
  }

  /**
   * Takes over what others have written down: a backfill finds neighbours, too, and another process may have followed
   * before this one. Whom they have found is compared, for what has been passed over meanwhile.
   */
  reload(): Promise<void> {
    // Nothing is written while it is read: what would be written, and not be read yet, would be forgotten.
    return this.#serialize(async () => {
      await this.#write()
      const lastTask = this.#reasons
      await this.#read()
      for (const fid of this.#reasons.keys()) if (!lastTask.has(fid)) this.#newFids.add(fid)
      const reconcileQueue = new ReconcileQueue(this.#db)
      for (const fid of this.#newFids) reconcileQueue.add(fid, 'newly followed')
      await reconcileQueue.flush()
      this.#newFids.clear()
    })
  }

  /** Reloads whenever somebody has changed who is followed, until the signal aborts. */
  async watchChanges(signal: AbortSignal, log: Log, { pollMs = POLL_MS } = {}): Promise<void> {
    let isOutdated = true
    const markOutdated = () => {
      isOutdated = true
    }
    // On a connection of its own, which the driver opens again when it is lost; what was told meanwhile is not told again.
    const listening = await this.#db
      .listen(selectionChannel, markOutdated, markOutdated)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'not told of whom another process follows: looking again and again')
        return null
      })
    while (!signal.aborted) {
      if (isOutdated || listening === null) {
        isOutdated = false
        await this.reload().catch((error) => {
          markOutdated()
          log.warn({ err: error }, 'whom another process follows is not known now')
        })
      }
      await pause(pollMs, signal)
    }
    // The connection may be gone, and then there is nothing to take back.
    await listening?.unlisten().catch(() => {})
  }

  includes(item: MergeItem): boolean {
    // Whoever gets a name may take it from somebody who is followed, and names are few.
    if (item.kind === 'nameTransfer') return true
    if (item.kind === 'chainEvent') return this.#reasons.has(item.event.fid)
    this.#applyMessage(item.message)
    return this.#reasons.has(item.message.data.fid)
  }

  /** One after the other: what is written last is what was learnt last. */
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
    await removeSelectedUsers(this.#db, [...removed.values()])
    await addSelectedUsers(this.#db, [...added.values()])
  }

  async #read(): Promise<void> {
    const rows = await readSelectedUsers(this.#db)
    this.#reasons = new Map()
    for (const row of rows) this.#addReason(row)
    // Learnt while the rows were read.
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

  /** Of users who are asked for. A follow that is outdated when it comes is put right when the user is compared. */
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

  /** False when there is no such reason. */
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

/** Whom of the network this server follows. */
export interface Selection {
  /** Whether something that is new upstream is to be merged here. */
  includes(item: MergeItem): boolean
  /** Writes down whom it has begun or ceased to follow by what it was shown. */
  flush(): Promise<void>
}

/** The whole network. */
export const allUsers: Selection = { includes: () => true, flush: async () => {} }
