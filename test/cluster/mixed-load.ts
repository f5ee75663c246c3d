import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMessage } from '../../src/protocol/codec.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import type { TestUser } from '../network.js'
import { tryFetch } from '../try-fetch.js'
import { loadEnv } from './load-users.js'
import { Timeline } from './timeline.js'

/** Between two requests of a sender, so that the machine does other things as well. */
const PAUSE_MS = 25
/** Longer than the server's own limit of any request here. */
const GIVE_UP_MS = 20_000

/** A write that a server has acknowledged. */
export interface AcknowledgedWrite {
  /** Hash of the message, `0x` and hex. */
  readonly hash: string
  readonly atMs: number
}

/** A message that was submitted to the hub, and acknowledged. */
export interface AcknowledgedMessage extends AcknowledgedWrite {
  readonly message: SignedMessage
}

/** What a load writes to and reads from. */
export interface LoadTarget {
  /** The API processes. They may get other URLs meanwhile. */
  readonly apis: readonly { readonly url: string }[]
  readonly users: readonly TestUser[]
  /** A managed signer of the first user. */
  readonly signerUuid: string
}

/** Makes the messages of a load. */
export interface LoadMessages {
  /** The next message of a user. `n` counts the user's messages. */
  next(user: TestUser, n: number): SignedMessage
  /** A message has been acknowledged: others may refer to it. */
  acknowledged(message: SignedMessage): void
}

/** Writes and reads through all API processes until it is stopped. */
export class MixedLoad {
  readonly writes = new Timeline()
  readonly reads = new Timeline()
  /** Messages that were submitted to the hub, once each. */
  readonly messages: AcknowledgedMessage[] = []
  /** Casts that were published with an `idem`, again and again until they were answered. */
  readonly published: AcknowledgedWrite[] = []
  readonly #target: LoadTarget
  readonly #messages: LoadMessages
  readonly #sending: Promise<void>[]
  #turn = 0
  #isStopped = false

  /** @param name The text of every cast begins with it. */
  constructor(
    target: LoadTarget,
    readonly name: string,
    messages: LoadMessages = new CastsLikesAndFollows(target.users.length, name),
  ) {
    this.#target = target
    this.#messages = messages
    this.#sending = [
      ...target.users.map((user) => this.#repeat((n) => this.#submit(user, n))),
      this.#repeat((n) => this.#publish(n)),
      ...readPaths(target.users).map((path) => this.#repeat(() => this.#read(path))),
    ]
  }

  /** Acknowledged writes. */
  get acknowledged(): number {
    return this.messages.length + this.published.length
  }

  /** Stops all writers, and waits for their last requests. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#sending)
  }

  async #repeat(send: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !this.#isStopped; n += 1) {
      await send(n)
      await sleep(PAUSE_MS)
    }
  }

  /** The API processes in turns. */
  #url(): string {
    return this.#target.apis[this.#turn++ % this.#target.apis.length]!.url
  }

  async #submit(user: TestUser, n: number): Promise<void> {
    const message = this.#messages.next(user, n)
    const response = await tryFetch(`${this.#url()}/v1/submitMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: encodeMessage(message),
      giveUpMs: GIVE_UP_MS,
    })
    const text = await response?.text().catch(() => undefined)
    this.writes.add(statusOf(response, text))
    if (!response?.ok || text === undefined) return
    this.messages.push({ message, hash: `0x${message.hash.toString('hex')}`, atMs: performance.now() })
    this.#messages.acknowledged(message)
  }

  async #publish(n: number): Promise<void> {
    const text = `${this.name} publish ${n}`
    for (;;) {
      const response = await tryFetch(`${this.#url()}/v2/farcaster/cast`, {
        method: 'POST',
        headers: { 'x-api-key': loadEnv.PLAZA_DEV_API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ signer_uuid: this.#target.signerUuid, text, idem: text }),
        giveUpMs: GIVE_UP_MS,
      })
      const body = (await response?.json().catch(() => undefined)) as { cast?: { hash: string } } | undefined
      this.writes.add(statusOf(response, body))
      if (response?.ok && body?.cast) {
        this.published.push({ hash: body.cast.hash, atMs: performance.now() })
        return
      }
      if (this.#isStopped) return
      await sleep(PAUSE_MS)
    }
  }

  async #read(path: string): Promise<void> {
    const response = await tryFetch(`${this.#url()}${path}`, {
      headers: { 'x-api-key': loadEnv.PLAZA_DEV_API_KEY },
      giveUpMs: GIVE_UP_MS,
    })
    this.reads.add(statusOf(response, await response?.text().catch(() => undefined)))
  }
}

/** Farcaster seconds of the last message that replaces another. */
let lastTimestamp = farcasterSecondsFromUnixMs(Date.now()) - 86_400

/** A timestamp newer than all before, although there are several messages in a second. */
export function newerTimestamp(): number {
  lastTimestamp += 1
  return lastTimestamp
}

/** A cast, a like of somebody's last cast, or a follow that begins or ends. */
class CastsLikesAndFollows implements LoadMessages {
  readonly #likes = new Set<string>()
  #lastCast: SignedMessage | undefined

  constructor(
    private readonly users: number,
    private readonly name: string,
  ) {}

  next(user: TestUser, n: number): SignedMessage {
    const now = farcasterSecondsFromUnixMs(Date.now())
    const target = this.#lastCast
    if (n % 3 === 1 && target !== undefined && !this.#likes.has(`${user.fid} ${target.hash}`)) {
      this.#likes.add(`${user.fid} ${target.hash}`)
      return user.react(target, now)
    }
    if (n % 3 === 2) return user.link((user.fid % this.users) + 1, newerTimestamp(), { remove: n % 2 === 0 })
    return user.cast(`${this.name} submit ${user.fid} ${n}`, now)
  }

  acknowledged(message: SignedMessage): void {
    if (message.data.castAddBody) this.#lastCast = message
  }
}

/** Whether a client may see this answer during a fault: it repeats the request. */
export function isTransient(answer: string): boolean {
  return answer === '503' || answer === 'no answer'
}

/** The status, with the answer where it is unexpected; `no answer` also for one that ends in the middle. */
function statusOf(response: Response | null, body: unknown): string {
  if (response === null || body === undefined) return 'no answer'
  if (response.ok || response.status === 503) return String(response.status)
  return `${response.status} ${typeof body === 'string' ? body : JSON.stringify(body)}`.slice(0, 300)
}

/** Reads whose answers change with what the load writes. */
export function readPaths(users: readonly TestUser[]): string[] {
  const fids = users.map(({ fid }) => fid).join(',')
  return [
    `/v2/farcaster/feed/following?fid=1&limit=25`,
    `/v2/farcaster/feed/user/casts?fid=2&viewer_fid=1&limit=25`,
    `/v2/farcaster/user/bulk?fids=${fids}&viewer_fid=1`,
    `/v1/castsByFid?fid=3&reverse=1&pageSize=25`,
  ]
}
