import {
  fidParameter,
  flagParameter,
  listParameter,
  pagingParameters,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'

/** Paging parameters of feeds. */
export const feedPaging = {
  ...pagingParameters(100, 25),
  viewer_fid: viewerFidParameter,
}

/** As long as a URL in a cast may be. */
const MAX_URL_LENGTH = 2_048

/** A parent URL. */
export const parentUrl = (description: string) =>
  textParameter({
    description,
    maxLength: MAX_URL_LENGTH,
    examples: ['https://farcaster.xyz/~/channel/gardening'],
  })

/** For feeds that select authors. */
export const withRecasts = flagParameter({
  default: true,
  description: 'Include casts that the authors have recast.',
})

/** For feeds that select channels or URLs, where recasts have no place. */
export const withRecastsUnused = flagParameter({
  default: true,
  description: 'No effect: a recast belongs to the user who recasts, not to a channel or URL.',
})

export const withReplies = flagParameter({ default: false, description: 'Include replies in threads.' })

export const membersOnly = flagParameter({
  default: true,
  deprecated: true,
  description:
    'Only casts by members of the channel and its lead. A channel without members, or with ' +
    'members whom the server does not know, has the casts of everybody.',
})

/** A list of authors, up to `maxItems`. */
export const authors = (maxItems: number, description: string) =>
  listParameter(fidParameter({ description: 'Fid of an author.' }), { maxItems, description })
