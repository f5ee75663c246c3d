import { type Static, Type } from '@sinclair/typebox'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { UserNameProof } from '../../../protocol/definitions.js'
import { verifyUsernameProof } from '../../../protocol/kinds/username-proof.js'
import type { Hub } from '../../hub.js'
import { loadImportCursor, saveImportCursor } from './import-cursor.js'
import type { PublicApi } from './public-api.js'
import { proofOf, Transfer } from './transfer.js'

/** Each transfer is checked later, so that one malformed entry does not fail the others. */
const Transfers = Type.Object({ transfers: Type.Array(Type.Unknown()) })
const WithId = Type.Pick(Transfer, ['id'])

export interface NameImportOptions {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitNameTransfers'>
  readonly api: PublicApi
  /** Address of the registry's signer, 20 bytes; transfers of other signers are refused. */
  readonly signer: Buffer
  readonly log: Log
}

const NAME = 'fnames'
/** The signer with which the transfers up to the cursor were verified. */
const SIGNER_NAME = 'signer of fnames'
/** The address of the registry whose transfers the cursor counts. */
const REGISTRY_NAME = 'registry of fnames'
/** Refusals of transfers that are read again. */
const KNOWN_REFUSALS: ReadonlySet<string> = new Set(['bad_request.duplicate', 'bad_request.conflict'])

/**
 * Merges new transfers of the fname registry, in order, and returns their number. Begins anew when the signer has changed, as what
 * another one has not signed was passed over, and when the registry has, as each one counts its transfers by itself.
 * @throws Error also if the signer has signed no transfer of a page.
 */
export async function importNames(options: NameImportOptions): Promise<number> {
  const { db, api, signer } = options
  await restartForNew(db, SIGNER_NAME, signer.toString('hex'))
  await restartForNew(db, REGISTRY_NAME, new URL(api.url).href)
  let imported = 0
  for (;;) {
    const cursor = Number((await loadImportCursor(db, NAME)) ?? 0)
    const { transfers } = await api.get('/transfers', { from_id: cursor }, Transfers)
    const fresh = api
      .wellFormed(transfers, WithId)
      .filter(({ id }) => id > cursor)
      .sort((a, b) => a.id - b.id)
    if (fresh.length === 0) return imported
    await mergeTransfers(options, api.wellFormed(fresh, Transfer))
    await saveImportCursor(db, NAME, String(fresh.at(-1)!.id))
    imported += fresh.length
  }
}

/** Forgets the cursor when what it depends on has changed. Versions before have not written it down: then it is kept. */
async function restartForNew(db: Database, name: string, given: string): Promise<void> {
  const known = await loadImportCursor(db, name)
  if (known === given) return
  if (known !== null) await saveImportCursor(db, NAME, '0')
  await saveImportCursor(db, name, given)
}

async function mergeTransfers(
  { hub, signer, log }: NameImportOptions,
  transfers: readonly Static<typeof Transfer>[],
): Promise<void> {
  const signed: UserNameProof[] = []
  const unsigned: Static<typeof Transfer>[] = []
  for (const transfer of transfers) {
    const proof = proofOf(transfer)
    if (await verifyUsernameProof(proof, signer)) signed.push(proof)
    else unsigned.push(transfer)
  }
  if (signed.length === 0 && unsigned.length > 0) {
    const ids = `transfers ${unsigned[0]!.id} to ${unsigned.at(-1)!.id}`
    throw new Error(
      `FNAME_REGISTRY_SIGNER has signed none of ${ids} of the registry: is it the right address?`,
    )
  }
  for (const { username: name, id } of unsigned)
    log.warn({ name, id }, 'a name transfer is not signed by the registry')
  for (const proof of signed) {
    const [outcome] = await hub.submitNameTransfers([proof])
    if (!outcome || KNOWN_REFUSALS.has(outcome.code)) continue
    const { name, fid } = proof
    log.error({ name: Buffer.from(name).toString(), fid, outcome }, 'the hub refused a name transfer')
  }
}
