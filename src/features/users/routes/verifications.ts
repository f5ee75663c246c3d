import { Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { fidParameter } from '../../../api/parameters.js'
import { readVerifications, type VerificationRow } from '../../../graph/query/users.js'
import { dateTimeOf, prefixedHex } from '../../../graph/view/formats.js'
import { VerificationsResponse } from '../../../graph/view/schema/verification.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

/** Protocol number of a Solana address. */
const SOLANA = 1

/** `GET user/verifications` */
export const userVerifications = defineOperation({
  method: 'GET',
  path: 'user/verifications',
  tag: 'User',
  summary: 'Addresses that a user has verified',
  description: 'From the most recent. `app` is the app whose key signed it, if that is known.',
  query: Type.Object({ fid: fidParameter({ minimum: 0, description: 'Whose.' }) }),
  reply: VerificationsResponse,

  async handle({ db }, { fid }) {
    const rows = await readVerifications(db, fid)
    return {
      verifications: rows.map((row) => ({
        object: 'verification' as const,
        address: addressOf(row),
        ...(row.app ? { app: userDehydrated(row.app) } : {}),
        protocol: row.protocol === SOLANA ? ('solana' as const) : ('evm' as const),
        verified_at: dateTimeOf(unixSecondsFromFarcasterSeconds(row.ts)),
      })),
    }
  },
})

function addressOf({ address, protocol }: VerificationRow): string {
  return protocol === SOLANA ? bs58.encode(address) : prefixedHex(address)
}
