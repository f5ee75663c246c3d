import { type Static, Type } from '@sinclair/typebox'
import { getAddress, type Hex } from 'viem'
import { fidParameter } from '../../api/parameters.js'
import { compileBody } from '../../api/parse-body.js'
import type { Hydrator } from '../../graph/cache/hydrator.js'
import { EthAddress } from '../../graph/view/schema/primitives.js'
import { PlazaError } from '../../platform/errors.js'
import { tryParseJson } from '../../platform/text/try-parse-json.js'
import { readPayoutAddresses } from '../payments/payout-addresses.js'

const MAX_RECIPIENTS = 200
const MAX_QUANTITY = 1_000

/** The receivers of mints: users or addresses. */
export const recipientsMember = Type.Array(
  Type.Object({
    address: Type.Optional(
      Type.String({
        pattern: '^0x[a-fA-F0-9]{40}$',
        patternText: 'an Ethereum address: 0x and 40 hex digits',
        description: 'Address of the receiver; or `fid`.',
        examples: EthAddress.examples,
      }),
    ),
    fid: Type.Optional(
      fidParameter({ minimum: 0, description: 'Fid of the receiver; or `address`.', examples: [] }),
    ),
    quantity: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_QUANTITY,
        description: 'Number of tokens, by default 1.',
        examples: [1],
      }),
    ),
  }),
  { minItems: 1, maxItems: MAX_RECIPIENTS, description: 'Receivers, each with an address or a fid.' },
)

/** A receiver with its address; null for a fid without a user. */
export interface Recipient {
  readonly address: Hex | null
  readonly fid: number | null
  readonly quantity: number
}

const parseBody = compileBody(Type.Object({ recipients: recipientsMember }))

/** Parses receivers that are JSON in a query. @throws PlazaError that names the wrong member. */
export function parseRecipients(text: string): Static<typeof recipientsMember> {
  const recipients = tryParseJson(text)
  if (recipients !== undefined) return parseBody({ recipients }).recipients
  throw new PlazaError('bad_request.invalid_param', 'recipients must be a JSON array', {
    property: 'recipients',
  })
}

/** Looks up the addresses of users. @throws PlazaError for a receiver with both an address and a fid, or neither. */
export async function resolveRecipients(
  hydrator: Pick<Hydrator, 'users'>,
  recipients: Static<typeof recipientsMember>,
): Promise<Recipient[]> {
  for (const [index, { address, fid }] of recipients.entries()) {
    if ((address === undefined) !== (fid === undefined)) continue
    const property = `recipients.${index}`
    throw new PlazaError('bad_request.invalid_param', `${property} must have either an address or a fid`, {
      property,
    })
  }
  const addresses = await readPayoutAddresses(
    hydrator,
    recipients.flatMap(({ fid }) => fid ?? []),
  )
  return recipients.map(({ address, fid, quantity = 1 }) => {
    const found = address ?? addresses.get(fid ?? 0)
    return {
      address: found === undefined ? null : getAddress(found.toLowerCase()),
      fid: fid ?? null,
      quantity,
    }
  })
}

/** Renders a receiver as a request has it: with a fid or an address. */
export function presentRecipient({ address, fid, quantity }: Recipient) {
  return fid === null ? { address: address!, quantity } : { fid, quantity }
}
