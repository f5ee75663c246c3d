import { MessageType, UserDataType } from '@farcaster/core'
import { checksumAddress } from 'viem'
import type { Hub } from '../../hub/hub.js'
import { PlazaError } from '../../platform/errors.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { type Author, type Publisher, type Statement, signStatement } from './author.js'
import { publishChanges } from './changes.js'
import { refusalError } from './refusal.js'

/** A profile update. Omitted members stay unchanged; an empty string clears. */
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

/** A profile entry and the request member that it comes from. */
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

/** The protocol rounds locations to about a kilometer (docs/protocol.md §3.3.7). */
const LOCATION_DIGITS = 2

/** A refused entry: the member and the problem. */
export interface ProfileError {
  readonly property: string
  readonly message: string
}

/**
 * Updates a profile: one message per entry, in one submission.
 *
 * @returns Refused entries, when others were accepted.
 * @throws PlazaError With the first reason when all entries were refused; for an empty request.
 */
export async function publishProfile(
  publisher: Publisher,
  author: Author,
  request: ProfileRequest,
): Promise<ProfileError[]> {
  const entries = entriesOf(request)
  if (entries.length === 0) {
    throw new PlazaError('bad_request.invalid_param', 'the body must have at least one member to update')
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
 * Checks a profile by the protocol's rules that do not depend on the account.
 *
 * Rules that do, such as the owner of a username, are left to `publishProfile`.
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
      // The protocol requires checksummed addresses (EIP-55).
      value: ethAddress && checksumAddress(ethAddress.toLowerCase() as `0x${string}`),
    },
    // X handles are case-insensitive, and the protocol requires lowercase.
    { property: 'verified_accounts.x', type: UserDataType.TWITTER, value: accounts.x?.toLowerCase() },
    { property: 'verified_accounts.github', type: UserDataType.GITHUB, value: accounts.github },
  ].flatMap(({ value, ...entry }) => (value === undefined ? [] : [{ ...entry, value }]))
}

/** Formats with two decimals and no negative zero. */
function formatDegrees(value: number): string {
  return value.toFixed(LOCATION_DIGITS).replace(/^-(0\.00)$/, '$1')
}
