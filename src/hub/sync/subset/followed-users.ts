import { MessageType } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { MergeItem } from '../../merge/shard-writer.js'
import { Suspects } from '../suspects.js'
import {
  addFollowed,
  dropFollowed,
  type FollowedRow,
  followedChannel,
  readFollowed,
  setAsked,
} from './followed-rows.js'
import type { Selection } from './selection.js'

/** Which part of the network is followed. */
export interface SubsetSettings {
  readonly fids: readonly number[]
  /** The parent URLs of channels whose authors are followed. */
  readonly channelUrls: readonly string[]
  /** Whether those are followed, too, whom the users of `fids` follow, and who react or reply to them. */
  readonly neighbours: boolean
}

const FOLLOW = 'follow'
/** How long whom another process has found goes unheard. */
const LOOK_MS = 5_000

/**
 * A part of the network, which grows and shrinks with what happens in it: who casts in a channel that is followed
 * belongs to it from then on, and a neighbour for as long as it is one. What is new of all others is passed over.
 */
export class FollowedUsers implements Selection {
  readonly #db: Database
  readonly #asked: ReadonlySet<number>
  readonly #channelUrls: ReadonlySet<string>
  readonly #neighbours: boolean
  /** The reasons for each user, as `reason/via`. */
  #reasons = new Map<number, Set<string>>()
  /** What is not written down yet, by user and reason. What is in both was dropped, and then added again. */
  #added = new Map<string, FollowedRow>()
  #dropped = new Map<string, FollowedRow>()
  /** Whom others have found, until it is written down that they are to be compared. */
  readonly #found = new Set<number>()
  /** What is read or written at the moment. */
  #before: Promise<void> = Promise.resolve()

  private constructor(db: Database, { fids, channelUrls, neighbours }: SubsetSettings) {
    this.#db = db
    this.#asked = new Set(fids)
    this.#channelUrls = new Set(channelUrls)
    this.#neighbours = neighbours
  }

  /** Begins with whom the settings name and earlier runs have found. */
  static async open(db: Database, settings: SubsetSettings): Promise<FollowedUsers> {
    await setAsked(db, settings.fids)
    const users = new FollowedUsers(db, settings)
    await users.#read()
    return users
  }

  /**
   * Takes over what others have written down: a backfill finds neighbours, too, and another process may have followed
   * before this one. Whom they have found is compared, for what has been passed over meanwhile.
   */
  reload(): Promise<void> {
    // Nothing is written while it is read: what would be written, and not be read yet, would be forgotten.
    return this.#inTurn(async () => {
      await this.#write()
      const before = this.#reasons
      await this.#read()
      for (const fid of this.#reasons.keys()) if (!before.has(fid)) this.#found.add(fid)
      const suspects = new Suspects(this.#db)
      for (const fid of this.#found) suspects.add(fid, 'newly followed')
      await suspects.flush()
      this.#found.clear()
    })
  }

  /** Reloads whenever somebody has changed who is followed, until the signal aborts. */
  async keepUp(signal: AbortSignal, log: Log, { lookMs = LOOK_MS } = {}): Promise<void> {
    let isOutdated = true
    const outdate = () => {
      isOutdated = true
    }
    // On a connection of its own, which the driver opens again when it is lost; what was told meanwhile is not told again.
    const listening = await this.#db.listen(followedChannel, outdate, outdate).catch((error: unknown) => {
      log.warn({ err: error }, 'not told of whom another process follows: looking again and again')
      return null
    })
    while (!signal.aborted) {
      if (isOutdated || listening === null) {
        isOutdated = false
        await this.reload().catch((error) => {
          outdate()
          log.warn({ err: error }, 'whom another process follows is not known now')
        })
      }
      await pause(lookMs, signal)
    }
    // The connection may be gone, and then there is nothing to take back.
    await listening?.unlisten().catch(() => {})
  }

  wants(item: MergeItem): boolean {
    // Whoever gets a name may take it from somebody who is followed, and names are few.
    if (item.kind === 'nameTransfer') return true
    if (item.kind === 'chainEvent') return this.#reasons.has(item.event.fid)
    this.#learn(item.message)
    return this.#reasons.has(item.message.data.fid)
  }

  /** One after the other: what is written last is what was learnt last. */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#write())
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#before.catch(() => {}).then(work)
    this.#before = done
    return done
  }

  async #write(): Promise<void> {
    const [added, dropped] = [this.#added, this.#dropped]
    this.#added = new Map()
    this.#dropped = new Map()
    await dropFollowed(this.#db, [...dropped.values()])
    await addFollowed(this.#db, [...added.values()])
  }

  async #read(): Promise<void> {
    const rows = await readFollowed(this.#db)
    this.#reasons = new Map()
    for (const row of rows) this.#note(row)
    // Learnt while the rows were read.
    for (const row of this.#dropped.values()) this.#forget(row)
    for (const row of this.#added.values()) this.#note(row)
  }

  #learn(message: SignedMessage): void {
    const { fid, castAddBody, reactionBody } = message.data
    if (castAddBody?.parentUrl && this.#channelUrls.has(castAddBody.parentUrl)) {
      this.#add({ fid, reason: 'channel', via: 0 })
    }
    if (this.#asked.has(fid)) this.#learnFollows(message)
    if (!this.#neighbours) return
    const touched = castAddBody?.parentCastId?.fid ?? reactionBody?.targetCastId?.fid
    if (touched !== undefined && this.#asked.has(touched)) this.#add({ fid, reason: 'touch', via: 0 })
  }

  /** Of users who are asked for. A follow that is outdated when it comes is put right when the user is compared. */
  #learnFollows({ data }: SignedMessage): void {
    const { fid: via, type, linkBody, linkCompactStateBody: compact } = data
    if (linkBody?.type === FOLLOW && linkBody.targetFid !== undefined) {
      const row: FollowedRow = { fid: linkBody.targetFid, reason: 'follow', via }
      if (type !== MessageType.LINK_ADD) this.#drop(row)
      else if (this.#neighbours) this.#add(row)
    }
    if (compact?.type === FOLLOW) {
      const kept = new Set(compact.targetFids)
      const name = reasonName({ reason: 'follow', via })
      for (const [fid, reasons] of this.#reasons) {
        if (reasons.has(name) && !kept.has(fid)) this.#drop({ fid, reason: 'follow', via })
      }
    }
  }

  #add(row: FollowedRow): void {
    if (!this.#reasons.get(row.fid)?.has(reasonName(row))) this.#added.set(rowName(row), row)
    this.#note(row)
  }

  #note(row: FollowedRow): void {
    const reasons = this.#reasons.get(row.fid) ?? new Set()
    this.#reasons.set(row.fid, reasons.add(reasonName(row)))
  }

  #drop(row: FollowedRow): void {
    if (!this.#forget(row)) return
    this.#added.delete(rowName(row))
    this.#dropped.set(rowName(row), row)
  }

  /** False when there is no such reason. */
  #forget(row: FollowedRow): boolean {
    const reasons = this.#reasons.get(row.fid)
    if (!reasons?.delete(reasonName(row))) return false
    if (reasons.size === 0) this.#reasons.delete(row.fid)
    return true
  }
}

function rowName(row: FollowedRow): string {
  return `${row.fid}/${reasonName(row)}`
}

function reasonName({ reason, via }: Pick<FollowedRow, 'reason' | 'via'>): string {
  return `${reason}/${via}`
}
