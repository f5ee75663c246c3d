import { text } from 'node:stream/consumers'
import { mergeHooks } from '../../../src/app/modules.js'
import { createHub } from '../../../src/hub/create-hub.js'
import { createMethodContext, type WriteMethod } from '../../../src/hub/methods/hub-method.js'
import { submitMethods } from '../../../src/hub/methods/submit.js'
import type { Database } from '../../../src/platform/db/connection.js'
import { PlazaError } from '../../../src/platform/errors.js'
import { LongReply } from '../../../src/platform/http/long-reply.js'
import { createVerifyPool } from '../../../src/protocol/verify-pool.js'
import type { Cell } from '../generator/cell.js'
import { bytesField } from '../generator/seal.js'
import type { Fault } from '../judge/verdict.js'

const EPOCH = 1_609_459_200

/** A message that Plaza stores. */
export interface StoredRow {
  readonly fid: number
  readonly type: number
  /** Hexadecimal. */
  readonly hash: string
}

/** Plaza's hub on a real database, asked through the methods of its API. */
export interface PlazaHub {
  /** Clock of the server, in Farcaster seconds. */
  readonly time: { now: number }
  /** Registers the users of cells. */
  open(cells: readonly Cell[]): Promise<void>
  /** Submits messages at the same time, each by itself; null for an accepted one. */
  submit(messages: readonly Uint8Array[]): Promise<(Fault | null)[]>
  /** Submits messages in one bulk call. */
  submitBulk(messages: readonly Uint8Array[]): Promise<(Fault | null)[]>
  /** Whether a message is valid; null when the answer is an error. */
  validate(message: Uint8Array): Promise<boolean | null>
  /** All stored messages of fids but key messages. */
  stored(fids: readonly number[]): Promise<StoredRow[]>
  close(): Promise<void>
}

/** Opens a hub of one shard; its clock is `now`. */
export async function openPlazaHub(db: Database, network: number, start: number): Promise<PlazaHub> {
  const time = { now: start }
  const verifyPool = createVerifyPool({ threads: 0 })
  const clock = () => (EPOCH + time.now) * 1000
  const hub = await createHub({ db, verifyPool, clock, network, shards: 1, mergeHooks })
  const context = createMethodContext({ db, hub, clock, version: '0', config: { shards: 1, network } }, () =>
    Promise.reject(new Error('no events are read')),
  )
  const method = (path: string) => submitMethods.find(({ http }) => http?.path === path) as WriteMethod
  const [single, bulk, validate] = ['/submitMessage', '/submitBulkMessages', '/validateMessage'].map(method)

  return {
    time,
    async open(cells) {
      await hub.submitOnChainEvents(cells.flatMap((cell) => cell.chainEvents()))
      await hub.submitNameTransfers(cells.flatMap((cell) => cell.nameTransfers()))
    },
    submit: (messages) =>
      Promise.all(
        messages.map((bytes) =>
          single!.answerBody(Buffer.from(bytes), context).then(
            () => null,
            (error: unknown) => faultOf(error),
          ),
        ),
      ),
    async submitBulk(messages) {
      const body = Buffer.concat(messages.map((bytes) => bytesField(1, bytes)))
      const answer: { messages: { errCode?: string; message?: string }[] } = JSON.parse(
        await textOf(await bulk!.answerBody(body, context)),
      )
      return answer.messages.map(({ errCode, message }) =>
        errCode === undefined ? null : { code: errCode, text: message ?? null },
      )
    },
    async validate(bytes) {
      try {
        const answer = (await validate!.answerBody(Buffer.from(bytes), context)) as { valid: boolean }
        return answer.valid
      } catch (error) {
        faultOf(error)
        return null
      }
    },
    stored: async (fids) =>
      await db<StoredRow[]>`
      select fid::float8 as fid, type, encode(hash, 'hex') as hash from hub.messages
      where fid = any (${fids as number[]}::bigint[]) and type not in (16, 17)
      union all
      select fid::float8, type, encode(hash, 'hex') from hub.channel_messages
      where fid = any (${fids as number[]}::bigint[])
    `,
    async close() {
      await hub.close()
      await verifyPool.close()
    },
  }
}

async function textOf(json: object): Promise<string> {
  return json instanceof LongReply ? await text(json) : `${json}`
}

function faultOf(error: unknown): Fault {
  if (!(error instanceof PlazaError)) throw error
  return { code: error.code, text: error.message }
}
