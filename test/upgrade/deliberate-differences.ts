import type { Difference } from './compare.js'

/** A difference to the answers of version 0.1.0 that is meant. */
interface DeliberateDifference {
  readonly name: string
  readonly matches: (difference: Difference) => boolean
}

/** All of them. The test fails for a difference without a line here, and for a line that no difference needs. */
export const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    name: 'a location is named by its city instead of a district of it',
    matches: ({ member, now }) =>
      member.endsWith('.profile.location.address.city') && typeof now === 'string',
  },
  {
    name: 'feed/channels has the casts of members alone, unless members_only=false',
    matches: ({ request }) => request.startsWith('feed/channels?') && !request.includes('members_only'),
  },
  {
    name: 'cursors of feeds, cast/search, followers and following have another form: old ones are refused',
    matches: ({ request, member, now }) =>
      /^(feed|cast\/search|followers\?|following\?)/.test(request) &&
      (request.includes('&cursor=') ? now === undefined || now === 400 : member.endsWith('next.cursor')),
  },
  {
    name: 'page tokens of the event log have the hash of a block',
    matches: ({ caller, request, member }) =>
      caller === 'hub' && request.startsWith('events?') && member === 'body.nextPageToken',
  },
  {
    name: 'info of the hub: version, bytes, time since the last block',
    matches: ({ caller, request, member }) =>
      caller === 'hub' && request === 'info' && /\.(version|approxSize|blockDelay)$/.test(member),
  },
]
