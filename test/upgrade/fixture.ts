import { readFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'

type Json = ReturnType<typeof JSON.parse>

/** A user of the fixture with their private keys. */
interface Person {
  readonly fid: number
  readonly appKey: string
  readonly publicKey: string
}

/** A webhook of version 0.1.0 with the secrets that sign, the newest first. */
interface OldWebhook {
  readonly id: string
  readonly name: string
  readonly secrets: readonly string[]
}

/** Secrets and ids that an operator of version 0.1.0 and his apps have kept. */
export interface OldSecrets {
  readonly secretKey: string
  readonly adminToken: string
  readonly receiverPort: number
  /** Events that webhooks have delivered to a receiver that accepted them. */
  readonly webhookEvents: readonly string[]
  readonly keys: Readonly<Record<'reader' | 'writer' | 'admin' | 'revoked', string>>
  readonly apps: Readonly<Record<'reader' | 'writer' | 'admin', string>>
  readonly people: Readonly<Record<'maker' | 'alice' | 'bob' | 'carol', Person>> & {
    readonly registered: { readonly fid: number; readonly signer_uuid: string }
  }
  readonly signers: Readonly<
    Record<
      'approved' | 'limited' | 'refused' | 'revoked' | 'pending' | 'generated',
      { readonly signer_uuid: string }
    >
  >
  readonly webhooks: readonly OldWebhook[]
  readonly wallet: string
}

/** Answers of version 0.1.0 by caller and path. */
export type OldAnswers = Readonly<
  Record<Caller, Readonly<Record<string, { readonly status: number; readonly body: Json }>>>
>

/** Who sends a recorded request: an app by its key, a client of the hub, or the operator. */
export type Caller = 'reader' | 'writer' | 'hub' | 'admin'

const FOLDER = new URL('0.1.0/', import.meta.url)

const RECEIVER_HOST = '127.0.0.1:'

/** Reads what was kept of version 0.1.0. Its webhooks and mini app tokens lead to `receiverPort`. */
export async function readOldVersion(receiverPort: number): Promise<{
  readonly secrets: OldSecrets
  readonly answers: OldAnswers
  /** The database as SQL. */
  readonly dump: string
}> {
  const secrets: OldSecrets = JSON.parse(await readFile(new URL('secrets.json', FOLDER), 'utf8'))
  const readMoved = async (name: string) => {
    const text = brotliDecompressSync(await readFile(new URL(name, FOLDER))).toString()
    return text.replaceAll(`${RECEIVER_HOST}${secrets.receiverPort}`, `${RECEIVER_HOST}${receiverPort}`)
  }
  const [answers, dump] = await Promise.all([readMoved('answers.json.br'), readMoved('database.sql.br')])
  return { secrets, answers: JSON.parse(answers), dump }
}
