import { Type } from '@sinclair/typebox'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
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

/** Merges new transfers of the fname registry, in order, and returns their number. @throws Error */
export async function importNames({ db, hub, api, signer, log }: NameImportOptions): Promise<number> {
  let imported = 0
  for (;;) {
    const cursor = Number((await loadImportCursor(db, NAME)) ?? 0)
    const { transfers } = await api.get('/transfers', { from_id: cursor }, Transfers)
    const fresh = api
      .wellFormed(transfers, WithId)
      .filter(({ id }) => id > cursor)
      .sort((a, b) => a.id - b.id)
    if (fresh.length === 0) return imported
    for (const transfer of api.wellFormed(fresh, Transfer)) {
      const proof = proofOf(transfer)
      if (await verifyUsernameProof(proof, signer)) await hub.submitNameTransfers([proof])
      else
        log.warn(
          { name: transfer.username, id: transfer.id },
          'a name transfer is not signed by the registry',
        )
    }
    await saveImportCursor(db, NAME, String(fresh.at(-1)!.id))
    imported += fresh.length
  }
}
