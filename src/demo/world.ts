import type { EthAccount } from '../hub/registry/eth-account.js'
import { blockNumberAt, type EventPosition } from '../hub/registry/local-chain.js'
import { limitsOf, storageUnitOf } from '../hub/storage-limits.js'
import { StorageUnitType } from '../protocol/definitions.js'
import type { MessageContent } from '../protocol/message.js'
import { MessageSet } from '../protocol/message-kind.js'
import { CastWindow, ReactionHistory } from './cast-window.js'
import { type DemoItem, type Draft, messageData } from './draft.js'
import { KeyRing } from './keys.js'
import { type DemoOptions, demoDays, demoStart } from './options.js'
import { type Person, personOf, UsernameAllocator } from './person.js'
import { fidOf, makePlan, type Plan } from './plan.js'
import { Random } from './random.js'
import { Schedule } from './schedule.js'

/** Scheduled later actions of users. */
export type Intent =
  | { readonly kind: 'delete a cast'; readonly user: number; readonly hash: Buffer; readonly index: number }
  | { readonly kind: 'take a reaction back'; readonly user: number; readonly reaction: MessageContent }
  | { readonly kind: 'unfollow' | 'follow again'; readonly edge: number }
  | {
      readonly kind:
        | 'compact follows'
        | 'renew the profile'
        | 'change the key'
        | 'drop the old key'
        | 'drop the address'
        | 'change the name'
        | 'go pro'
      readonly user: number
    }

/** State of an edge of the follow graph. */
export const EdgeState = { none: 0, follows: 1, unfollowed: 2 } as const

/** The state of the simulation: plan, past and scheduled actions. */
export class World {
  readonly options: DemoOptions
  readonly plan: Plan
  readonly start: number
  readonly random: Random
  readonly keys: KeyRing
  readonly casts: CastWindow
  readonly reactions: ReactionHistory
  readonly storage: StorageUse
  readonly schedule = new Schedule<Intent>()
  readonly names = new UsernameAllocator()
  /** The key that each user signs with. */
  readonly signers: Uint8Array
  /** 1 for users who have bought the pro tier. */
  readonly pros: Uint8Array
  /** Unix seconds of the last cast and last link of each user, because times must increase. */
  readonly lastCastAt: Float64Array
  readonly lastLinkAt: Float64Array
  readonly edges: Uint8Array
  /** Recent casts that reply to or mention each user, by number; -1 for none. */
  readonly inbox: Int32Array
  #lastBlock = 0
  #nextLog = 0

  constructor(options: DemoOptions) {
    const { users, seed } = options
    this.options = options
    this.plan = makePlan(options)
    this.start = demoStart(options)
    this.random = new Random(`plaza demo life|${seed}`)
    this.keys = new KeyRing(seed)
    this.casts = new CastWindow(options.casts / demoDays)
    this.reactions = new ReactionHistory(users)
    this.storage = new StorageUse(users, options.network)
    this.signers = new Uint8Array(users)
    this.pros = new Uint8Array(users)
    this.lastCastAt = new Float64Array(users)
    this.lastLinkAt = new Float64Array(users)
    this.edges = new Uint8Array(this.plan.follows.size)
    this.inbox = new Int32Array(users * INBOX_CASTS).fill(-1)
  }

  person(user: number): Person {
    return personOf(this.options.seed, this.plan, user)
  }

  custody(user: number): EthAccount {
    return this.keys.account(user, 'custody')
  }

  /** Creates a message of a user. `at` is in Unix seconds. */
  message(user: number, at: number, content: MessageContent): Draft {
    const data = messageData(content, user, at, this.options.network)
    return { kind: 'message', user, signer: this.signerOf(user), data }
  }

  /** Creates a message whose content needs a wallet signature. */
  claimMessage(user: number, at: number, makeContent: () => MessageContent | Promise<MessageContent>): Draft {
    const signer = this.signerOf(user)
    return deferredDraft(async () => {
      const data = messageData(await makeContent(), user, at, this.options.network)
      return { kind: 'message', message: this.keys.signer(user, signer).sign(data) }
    })
  }

  signerOf(user: number): 'signer 0' | 'signer 1' {
    return this.signers[user] === 1 ? 'signer 1' : 'signer 0'
  }

  /** Returns the next position on the local chain for an action of a user. */
  nextEventPosition(user: number, at: number, action: string): EventPosition {
    const blockNumber = blockNumberAt(at)
    this.#nextLog = blockNumber === this.#lastBlock ? this.#nextLog + 1 : 0
    this.#lastBlock = blockNumber
    return {
      blockNumber,
      blockTimestamp: at,
      logIndex: this.#nextLog,
      transaction: `demo ${this.options.seed}/${fidOf(user)}/${action}/${at}`,
    }
  }

  isProNow(user: number): boolean {
    return this.pros[user] === 1
  }

  /** Adds a cast to the inbox of a user. */
  notify(user: number, cast: number): void {
    const inboxIndex = user * INBOX_CASTS + (cast % INBOX_CASTS)
    this.inbox[inboxIndex] = cast
  }

  /** Removes and returns a cast that the user may reply to, or null. */
  takeFromInbox(user: number): number | null {
    const inboxIndex = user * INBOX_CASTS + this.random.below(INBOX_CASTS)
    const cast = this.inbox[inboxIndex]!
    this.inbox[inboxIndex] = -1
    return cast < 0 ? null : cast
  }
}

const INBOX_CASTS = 4

/** Creates a draft whose item is created only if it is not skipped. */
export function deferredDraft(make: () => Promise<DemoItem>): Draft {
  return { kind: 'made later', make }
}

/** The sets of messages that storage limits. */
export type BoundedSet = 'casts' | 'reactions' | 'links'

/** Spare messages, for compact states and undone actions. */
const SPARE = 5

/** Tracks used storage, so that users rent more before messages are pruned. */
class StorageUse {
  readonly #units: Uint16Array
  readonly #used: Readonly<Record<BoundedSet, Uint32Array>>

  constructor(
    users: number,
    private readonly network: number,
  ) {
    this.#units = new Uint16Array(users).fill(1)
    this.#used = {
      casts: new Uint32Array(users),
      reactions: new Uint32Array(users),
      links: new Uint32Array(users),
    }
  }

  /**
   * Counts a new message of a set.
   *
   * @param at Unix seconds: the size of a unit depends on when it is rented.
   * @returns Number of units that the user has to rent first; 0 if there is room.
   */
  take(user: number, set: BoundedSet, at: number): number {
    const used = this.#used[set]
    used[user]! += 1
    const units = this.#units[user]!
    if (used[user]! + SPARE <= units * perUnit(set, at, this.network)) return 0
    // Half as many again, so that active users do not rent every day.
    const rented = Math.ceil(units / 2)
    this.#units[user]! += rented
    return rented
  }
}

function perUnit(set: BoundedSet, at: number, network: number): number {
  const { type } = storageUnitOf(at, network)
  const limits = limitsOf({
    legacy: Number(type === StorageUnitType.UNIT_TYPE_LEGACY),
    y2024: Number(type === StorageUnitType.UNIT_TYPE_2024),
    y2025: Number(type === StorageUnitType.UNIT_TYPE_2025),
  })
  return limits[MessageSet[set]]
}
