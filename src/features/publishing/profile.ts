import { checksumAddress } from 'viem'
import type { Hub } from '../../hub/hub.js'
import { PlazaError, type Refusal, refusalError } from '../../platform/errors.js'
import { MessageType, UserDataType } from '../../protocol/definitions.js'
import type { MessageContent } from '../../protocol/message.js'
import { type Author, farcasterNow, type Publisher, signContent } from './author.js'
import { publishChanges } from './changes.js'

interface Point {
  readonly latitude: number
  readonly longitude: number
}

/** A profile update. Omitted members stay unchanged; an empty string clears. */
export interface ProfileRequest {
  readonly bio?: string
  readonly pfp_url?: string
  readonly url?: string
  readonly username?: string
  readonly display_name?: string
  readonly banner?: string
  readonly location?: Point | ''
  readonly primary_eth_address?: string
  readonly primary_sol_address?: string
  readonly verified_accounts?: { readonly x?: string; readonly github?: string }
}

/** Profile entries: the request member that each comes from, its type and value. */
const entryKinds: readonly (readonly [
  property: string,
  type: UserDataType,
  read: (request: ProfileRequest) => string | undefined,
])[] = [
  ['bio', UserDataType.BIO, ({ bio }) => bio],
  ['pfp_url', UserDataType.PFP, ({ pfp_url }) => pfp_url],
  ['url', UserDataType.URL, ({ url }) => url],
  ['username', UserDataType.USERNAME, ({ username }) => username],
  ['display_name', UserDataType.DISPLAY, ({ display_name }) => display_name],
  ['banner', UserDataType.BANNER, ({ banner }) => banner],
  [
    'primary_sol_address',
    UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
    ({ primary_sol_address }) => primary_sol_address,
  ],
  ['location', UserDataType.LOCATION, ({ location }) => location && geoUriOf(location)],
  [
    'primary_eth_address',
    UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
    // The protocol requires checksummed addresses (EIP-55).
    ({ primary_eth_address: address }) => address && checksumAddress(address.toLowerCase() as `0x${string}`),
  ],
  // X handles are case-insensitive, and the protocol requires lowercase.
  ['verified_accounts.x', UserDataType.TWITTER, ({ verified_accounts: of }) => of?.x?.toLowerCase()],
  ['verified_accounts.github', UserDataType.GITHUB, ({ verified_accounts: of }) => of?.github],
]

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
    throw new PlazaError('bad_request.invalid_param', 'the body must have at least one member to update', {
      property: 'body',
    })
  }
  const outcomes = await publishChanges(
    publisher,
    author,
    entries.map(({ content }) => content),
  )
  const errors = entries.flatMap((entry, index) => {
    const { refusal } = outcomes[index]!
    return refusal ? [{ property: entry.property, refusal: explained(refusal, entry) }] : []
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
  const now = farcasterNow(publisher)
  const messages = entries.map(({ content }) => signContent(publisher, author, content, now))
  const refusals = messages.length === 0 ? [] : await publisher.hub.validate(messages)
  return refusals.flatMap((refusal, index) => {
    const entry = entries[index]!
    return refusal ? [{ property: entry.property, message: explained(refusal, entry).message }] : []
  })
}

/** An entry to publish, and the member of the request that it comes from. */
interface Entry {
  readonly property: string
  readonly content: MessageContent
}

/** Says in plain words what the protocol says by a pattern: the one entry that has no empty value. */
function explained(refusal: Refusal, { content: { userDataBody } }: Entry): Refusal {
  const clearsGithub = userDataBody?.type === UserDataType.GITHUB && userDataBody.value === ''
  if (!clearsGithub || refusal.code !== 'bad_request.validation_failure') return refusal
  return { ...refusal, message: 'the protocol cannot clear a GitHub name; set another one instead' }
}

function entriesOf(request: ProfileRequest): Entry[] {
  return entryKinds.flatMap(([property, type, read]) => {
    const value = read(request)
    if (value === undefined) return []
    return [{ property, content: { type: MessageType.USER_DATA_ADD, userDataBody: { type, value } } }]
  })
}

/** Formats a location with two decimals and no negative zero. */
function geoUriOf({ latitude, longitude }: Point): string {
  const [north, east] = [latitude, longitude].map((degrees) =>
    degrees.toFixed(LOCATION_DIGITS).replace(/^-(0\.00)$/, '$1'),
  )
  return `geo:${north},${east}`
}
