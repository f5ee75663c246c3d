import { MessageType, UserDataType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { type LoadMessages, newerTimestamp } from '../cluster/mixed-load.js'
import type { TestUser } from '../network.js'

/** Acknowledged casts that others may still refer to. */
const MAX_KEPT = 200

/** Casts, replies, likes, follows and profiles of users, and the removal of all of them. */
export class ChaosMessages implements LoadMessages {
  readonly #casts: SignedMessage[] = []
  /** Acknowledged likes of a user. */
  readonly #likesOf = new Map<number, SignedMessage[]>()
  /** The casts of likes, by the hash of the like. */
  readonly #targets = new Map<string, SignedMessage>()
  readonly #liked = new Set<string>()

  constructor(
    private readonly users: number,
    private readonly name: string,
  ) {}

  /** Creates the message number `n` of a user: about an earlier one where there is one, else a cast. */
  next(user: TestUser, n: number): SignedMessage {
    const now = farcasterSecondsFromUnixMs(Date.now())
    return this.#referring(user, n, now) ?? user.cast(`${this.name} submit ${user.fid} ${n}`, now)
  }

  /** Keeps an acknowledged message for later ones that refer to it. */
  acknowledged(message: SignedMessage): void {
    const { type, fid } = message.data
    if (type === MessageType.CAST_ADD) this.#casts.push(message)
    if (type === MessageType.REACTION_ADD) this.#likesOf.get(fid)?.push(message)
    if (this.#casts.length > MAX_KEPT) this.#casts.shift()
  }

  /** A message about an earlier one; undefined where there is none yet. */
  #referring(user: TestUser, n: number, now: number): SignedMessage | undefined {
    switch (n % 8) {
      case 1:
      case 2:
        return this.#like(user, now)
      case 3:
        return user.link((user.fid % this.users) + 1, newerTimestamp(), { remove: n % 16 > 8 })
      case 4:
        return this.#reply(user, n, now)
      case 5:
        return user.userData(UserDataType.BIO, `${this.name} bio ${n}`, newerTimestamp())
      case 6:
        return n % 24 === 6 ? this.#removeLike(user, now) : undefined
      case 7:
        return n % 16 === 7 ? this.#removeCast(user, now) : undefined
      default:
        return undefined
    }
  }

  #like(user: TestUser, now: number): SignedMessage | undefined {
    const target = this.#casts.findLast(({ hash }) => !this.#liked.has(`${user.fid} ${hash.toString('hex')}`))
    if (target === undefined) return undefined
    this.#liked.add(`${user.fid} ${target.hash.toString('hex')}`)
    const like = user.react(target, now)
    this.#targets.set(like.hash.toString('hex'), target)
    if (!this.#likesOf.has(user.fid)) this.#likesOf.set(user.fid, [])
    return like
  }

  #removeLike(user: TestUser, now: number): SignedMessage | undefined {
    const like = this.#likesOf.get(user.fid)?.shift()
    const target = like && this.#targets.get(like.hash.toString('hex'))
    return target && user.react(target, now, { remove: true })
  }

  #reply(user: TestUser, n: number, now: number): SignedMessage | undefined {
    const parent = this.#casts.at(-1)
    if (parent === undefined) return undefined
    const parentCastId = { fid: parent.data.fid, hash: parent.hash }
    return user.cast(`${this.name} reply ${user.fid} ${n}`, now, { parentCastId })
  }

  #removeCast(user: TestUser, now: number): SignedMessage | undefined {
    const at = this.#casts.findIndex(({ data }) => data.fid === user.fid)
    const [cast] = at === -1 ? [] : this.#casts.splice(at, 1)
    return cast && user.removeCast(cast.hash, now)
  }
}
