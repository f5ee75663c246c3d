import { type Static, Type } from '@sinclair/typebox'
import bs58 from 'bs58'
import { invalidField } from '../../../api/invalid-field.js'
import { OtherReply } from '../../../api/operation.js'
import { ethAddressParameter, fidParameter, pointParameters } from '../../../api/parameters.js'
import { readVerifications, type VerificationRow } from '../../../graph/query/verifications.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { bytesOfHex, hexOf } from '../../../protocol/bytes.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'
import { publishProfile } from '../../publishing/profile.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { type AddressClaim, publishVerification, removeVerification } from '../../publishing/verifications.js'
import { UpdateUserPartly, VerificationsResponse } from '../schema/user.js'

/** Above the protocol's limits, which are checked separately. */
const MAX_ENTRY_LENGTH = 1_024

const entry = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 0, maxLength: MAX_ENTRY_LENGTH, description, examples: [example] }))

/** A primary address; an empty text leaves the choice to the server. */
const primaryAddress = (pattern: string, patternText: string) =>
  Type.Optional(
    Type.String({
      pattern: `^(${pattern})?$`,
      patternText: `${patternText}, or an empty text`,
      description: 'Primary address; one of the user’s verified addresses. Without one, the first of them.',
      examples: [],
    }),
  )

/** The body of `PATCH user`, as published clients send it. */
export const UpdateUserReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  bio: entry('Bio, up to 256 bytes.', 'Gardener and programmer.'),
  pfp_url: entry('URL of the profile picture, up to 256 bytes.', 'https://example.com/images/dwr.png'),
  banner: entry(
    'URL of the banner, up to 256 bytes. Pro accounts only.',
    'https://example.com/images/banner.png',
  ),
  url: entry('URL of the user’s page, up to 256 bytes.', 'https://example.com/dwr'),
  username: entry('Name that the user holds: an fname or an ENS name.', 'dwr'),
  display_name: entry('Display name, up to 32 bytes.', 'Dan Romero'),
  location: Type.Optional(
    Type.Union([Type.Object(pointParameters), Type.Literal('')], {
      description: 'A place, or an empty text to clear it.',
    }),
  ),
  primary_eth_address: primaryAddress('0x[a-fA-F0-9]{40}', 'an Ethereum address: 0x and 40 hex digits'),
  primary_sol_address: primaryAddress('[1-9A-HJ-NP-Za-km-z]{32,44}', 'a Solana address'),
  verified_accounts: Type.Optional(
    Type.Object({
      x: entry('Name on X, without `@`.', 'dwr'),
      github: entry('Name on GitHub.', 'danromero'),
    }),
  ),
})

/** `PATCH user` */
export const updateUser = defineOperation({
  method: 'PATCH',
  path: 'user',
  tag: 'Users',
  summary: 'Update user profile',
  description:
    'Changes the members that the body has; an empty text clears a member, except a GitHub name. Coordinates ' +
    'are stored with two decimals, about a kilometre. If the protocol refuses some members, the others are applied and ' +
    'the reply is 207. If it refuses all of them, the reply is the first error.',
  example: { reply: { success: true, message: 'the profile is updated' } },
  body: UpdateUserReqBody,
  reply: OperationResponse,
  otherReplies: {
    207: { description: 'Some members were applied, others refused.', reply: UpdateUserPartly },
  },
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle(context, { signer_uuid: signerUuid, ...profile }, caller) {
    return await actAs(context, { signerUuid, caller, permission: 'UPDATE_PROFILE' }, async (author) => {
      const problems = await publishProfile(context, author, profile)
      if (problems.length === 0) return { success: true, message: 'the profile is updated' }
      return new OtherReply(207, {
        success: false,
        errors: problems.map(({ property, message }) => ({ message: `${property}: ${message}` })),
      })
    })
  },
})

/** Maximum length of a contract's signature (docs/protocol.md §3.3.6), in hex digits. */
const MAX_SIGNATURE_LENGTH = 2 + 2 * 2048

/** An address and its signature, as published clients send them. */
const verificationMembers = {
  signer_uuid: signerUuidMember,
  address: ethAddressParameter({
    description: 'Ethereum address. Verify a Solana address with a signed message through `POST message`.',
  }),
  block_hash: Type.String({
    pattern: '^0x[a-fA-F0-9]{64}$',
    patternText: '0x and 64 hex digits',
    description: 'Hash of a recent block; part of the signed claim.',
    examples: ['0x8f3c1a5b7d9e0f2a4c6e8d0b1f3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a'],
  }),
  eth_signature: Type.String({
    pattern: '^0x(?:[a-fA-F0-9]{2})+$',
    patternText: '0x and hex digits',
    maxLength: MAX_SIGNATURE_LENGTH,
    description: 'Signature by the address over the protocol’s `VerificationClaim` (EIP-712).',
    examples: [exampleSignature],
  }),
}

/** Converts a body to the claim. */
function claimOf(body: { address: string; block_hash: string; eth_signature: string }): AddressClaim {
  return {
    address: bytesOfHex(body.address),
    blockHash: bytesOfHex(body.block_hash),
    signature: bytesOfHex(body.eth_signature),
  }
}

/** Converts a body whose claim may be left out. */
function removedAddressOf({ block_hash, eth_signature, address }: Static<typeof RemoveVerificationReqBody>) {
  if (eth_signature === undefined) return { address: bytesOfHex(address), claim: null }
  if (block_hash === undefined) throw invalidField('block_hash', 'is required beside eth_signature')
  const claim = claimOf({ address, block_hash, eth_signature })
  return { address: claim.address, claim }
}

/** The protocol's number for Solana. */
const SOLANA = 1

/** `GET user/verifications` */
export const userVerifications = defineOperation({
  method: 'GET',
  path: 'user/verifications',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch verifications of user',
  description:
    'Newest first. `app` is the app that requested the key which signed the verification; it is left out ' +
    'if unknown.',
  query: Type.Object({ fid: fidParameter({ minimum: 0, description: 'Fid of the user.' }) }),
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
  return protocol === SOLANA ? bs58.encode(address) : hexOf(address)
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

/** The body of `POST user/verification`, as published clients send it. */
export const AddVerificationReqBody = Type.Object({
  ...verificationMembers,
  verification_type: oneOf(
    [0, 1],
    '0: signature by an account, the default. 1: by a contract wallet, which is asked on the chain in `chain_id`.',
  ),
  chain_id: oneOf([0, 1, 10], 'Chain of a contract wallet: 1 or 10. 0, the default, for an account.'),
})

/** `POST user/verification` */
export const addVerification = defineOperation({
  method: 'POST',
  path: 'user/verification',
  tag: 'Users',
  summary: 'Add verification',
  description:
    'Links an Ethereum address to the user of the signer. The server checks `eth_signature`, the ' +
    'address’s consent.',
  example: { reply: { success: true, message: 'the address is verified' } },
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

/** The body of `DELETE user/verification`, as published clients send it: those of 2024 send no claim. */
export const RemoveVerificationReqBody = Type.Object({
  ...verificationMembers,
  block_hash: Type.Optional(verificationMembers.block_hash),
  eth_signature: Type.Optional(verificationMembers.eth_signature),
})

/** `DELETE user/verification` */
export const deleteVerification = defineOperation({
  method: 'DELETE',
  path: 'user/verification',
  tag: 'Users',
  summary: 'Delete verification',
  description:
    'Unlinks a verified address. `eth_signature` is the signature of the verification or another one over ' +
    'the same claim; it may be left out, with `block_hash`. If the address is a primary address, the profile loses it too.',
  example: { reply: { success: true, message: 'the address is no longer verified' } },
  body: RemoveVerificationReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or the user has not verified the address.',

  async handle(context, body, caller) {
    const acting = { signerUuid: body.signer_uuid, caller, permission: 'REMOVE_VERIFICATION' } as const
    return await actAs(context, acting, async (author) => {
      await removeVerification(context, author, removedAddressOf(body))
      return { success: true, message: 'the address is no longer verified' }
    })
  },
})
