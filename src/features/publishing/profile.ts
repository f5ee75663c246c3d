import { MessageType, UserDataType } from '@farcaster/core'
import { checksumAddress } from 'viem'
import type { Hub } from '../../hub/hub.js'
import { PlazaError } from '../../platform/errors.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { type Author, type Publisher, type Statement, signStatement } from './author.js'
import { publishChanges } from './changes.js'
import { refusalError } from './refusal.js'

/** What somebody wants to say of itself. Members that are not given stay as they are; the empty text clears. */
export interface ProfileRequest {
  readonly bio?: string
  readonly pfp_url?: string
  readonly url?: string
  readonly username?: string
  readonly display_name?: string
  readonly banner?: string
  readonly location?: { readonly latitude: number; readonly longitude: number }
  readonly primary_eth_address?: string
  readonly primary_sol_address?: string
  readonly verified_accounts?: { readonly x?: string; readonly github?: string }
}

/** An entry of the profile, and the member of the request that it comes from. */
interface ProfileEntry {
  readonly property: string
  readonly type: UserDataType
  readonly value: string
}

const textEntries = {
  bio: UserDataType.BIO,
  pfp_url: UserDataType.PFP,
  url: UserDataType.URL,
  username: UserDataType.USERNAME,
  display_name: UserDataType.DISPLAY,
  banner: UserDataType.BANNER,
  primary_sol_address: UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
} as const

/** The protocol keeps places to about a kilometre (docs/protocol.md §3.3.7). */
const LOCATION_DIGITS = 2

/** An entry that was refused: what is wrong with which member. */
export interface ProfileError {
  readonly property: string
  readonly message: string
}

/**
 * Updates a profile: one message for each entry, all in one submission.
 *
 * @returns What was refused, where something else was not.
 * @throws PlazaError when everything was refused, for the first reason; when nothing is given.
 */
export async function publishProfile(
  publisher: Publisher,
  author: Author,
  request: ProfileRequest,
): Promise<ProfileError[]> {
  const entries = entriesOf(request)
  if (entries.length === 0) {
    throw new PlazaError('bad_request.invalid_param', 'the body must hold something to update')
  }
  const outcomes = await publishChanges(publisher, author, entries.map(statementOf))
  const errors = entries.flatMap(({ property }, index) => {
    const { refusal } = outcomes[index]!
    return refusal ? [{ property, refusal }] : []
  })
  const [first] = errors
  if (first && errors.length === entries.length) throw refusalError(first.refusal, first.property)
  return errors.map(({ property, refusal }) => ({ property, message: refusal.message }))
}

/**
 * What of a profile the protocol refuses whoever says it. What depends on the account, such as whose a name is, is left
 * to `publishProfile`.
 */
export async function checkProfile(
  publisher: Pick<Publisher, 'network' | 'clock'> & { readonly hub: Pick<Hub, 'validate'> },
  author: Author,
  request: ProfileRequest,
): Promise<ProfileError[]> {
  const entries = entriesOf(request)
  const now = farcasterSecondsFromUnixMs(publisher.clock())
  const messages = entries.map((entry) => signStatement(publisher, author, statementOf(entry), now))
  const refusals = messages.length === 0 ? [] : await publisher.hub.validate(messages)
  return refusals.flatMap((refusal, index) =>
    refusal ? [{ property: entries[index]!.property, message: refusal.message }] : [],
  )
}

function statementOf({ type, value }: ProfileEntry): Statement {
  return { type: MessageType.USER_DATA_ADD, userDataBody: { type, value } }
}

function entriesOf(request: ProfileRequest): ProfileEntry[] {
  const { location, primary_eth_address: ethAddress, verified_accounts: accounts = {} } = request
  const texts = Object.entries(textEntries).map(([property, type]) => ({
    property,
    type,
    value: request[property as keyof typeof textEntries],
  }))
  return [
    ...texts,
    {
      property: 'location',
      type: UserDataType.LOCATION,
      value: location && `geo:${formatDegrees(location.latitude)},${formatDegrees(location.longitude)}`,
    },
    {
      property: 'primary_eth_address',
      type: UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
      // The protocol wants the checksum that capital letters make (EIP-55).
      value: ethAddress && checksumAddress(ethAddress.toLowerCase() as `0x${string}`),
    },
    // Names on X have no capital letters of their own, and the protocol has none for them.
    { property: 'verified_accounts.x', type: UserDataType.TWITTER, value: accounts.x?.toLowerCase() },
    { property: 'verified_accounts.github', type: UserDataType.GITHUB, value: accounts.github },
  ].flatMap(({ value, ...entry }) => (value === undefined ? [] : [{ ...entry, value }]))
}

/** Two digits behind the point, and no zero with a minus before it. */
function formatDegrees(value: number): string {
  return value.toFixed(LOCATION_DIGITS).replace(/^-(0\.00)$/, '$1')
}
