import { Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { ethAddressParameter, fidParameter } from '../../../api/parameters.js'
import { readVerifications, type VerificationRow } from '../../../graph/query/users.js'
import { dateTimeOf, prefixedHex } from '../../../graph/view/formats.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { VerificationsResponse } from '../../../graph/view/schema/verification.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { type AddressClaim, publishVerification, removeVerification } from '../../publishing/verifications.js'

/** A contract's signature may have this many bytes (docs/protocol.md §3.3.6), of two hex digits each. */
const MAX_SIGNATURE_LENGTH = 2 + 2 * 2048

/** An address and its agreement, as the published client sends them. */
const verificationMembers = {
  signer_uuid: signerUuidMember,
  address: ethAddressParameter({
    description:
      'The address. One of Solana is verified by `message`, with a message that is signed already.',
  }),
  block_hash: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: '0x and 64 hex digits',
    description: 'Of a recent block; part of what the address has signed.',
  }),
  eth_signature: Type.String({
    pattern: '^0x(?:[a-fA-F0-9]{2})+$',
    patternText: '0x and hex digits',
    maxLength: MAX_SIGNATURE_LENGTH,
    description: 'The address’s signature over the protocol’s `VerificationClaim` (EIP-712).',
  }),
}

/** The claim that a body holds, as bytes. */
function claimOf(body: { address: string; block_hash: string; eth_signature: string }): AddressClaim {
  const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
  return {
    address: bytes(body.address),
    blockHash: bytes(body.block_hash),
    signature: bytes(body.eth_signature),
  }
}

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

const oneOf = <const Value extends number>(values: readonly Value[], description: string) =>
  Type.Optional(
    Type.Unsafe<Value>(
      Type.Union(
        values.map((value) => Type.Literal(value)),
        { patternText: `one of ${values.join(', ')}`, description },
      ),
    ),
  )

/** What is verified, as the published client sends it. */
export const AddVerificationReqBody = Type.Object({
  ...verificationMembers,
  verification_type: oneOf(
    [0, 1],
    '0, the default: an account has signed. 1: a contract; not supported, as it needs a chain.',
  ),
  chain_id: oneOf([0, 1, 10], 'Of a contract. 0, the default, for an account.'),
})

/** `POST user/verification` */
export const addVerification = defineOperation({
  method: 'POST',
  path: 'user/verification',
  tag: 'User',
  summary: 'Verify an address',
  description: 'The address agrees to belong to the user by its signature, which is checked.',
  body: AddVerificationReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle(context, body, caller) {
    const acting = { signerUuid: body.signer_uuid, caller, permission: 'ADD_VERIFICATION' } as const
    return await actAs(context, acting, async (author) => {
      await publishVerification(context, author, claimOf(body), {
        chainId: body.chain_id ?? 0,
        verificationType: body.verification_type ?? 0,
      })
      return { success: true, message: 'the address is verified' }
    })
  },
})

/** What is taken back, as the published client sends it. */
export const RemoveVerificationReqBody = Type.Object(verificationMembers)

/** `DELETE user/verification` */
export const deleteVerification = defineOperation({
  method: 'DELETE',
  path: 'user/verification',
  tag: 'User',
  summary: 'Take a verified address back',
  description:
    'The signature is that of the verification, or another one of the same kind. A primary address goes with it.',
  body: RemoveVerificationReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or the user has not verified the address.',

  async handle(context, body, caller) {
    const acting = { signerUuid: body.signer_uuid, caller, permission: 'REMOVE_VERIFICATION' } as const
    return await actAs(context, acting, async (author) => {
      await removeVerification(context, author, claimOf(body))
      return { success: true, message: 'the address is no longer verified' }
    })
  },
})
