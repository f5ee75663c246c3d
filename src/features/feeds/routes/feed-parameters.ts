import { Type } from '@sinclair/typebox'
import {
  cursorParameter,
  fidParameter,
  flagParameter,
  limitParameter,
  listParameter,
  textParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'

/** Parameters that feeds have in common. */
export const feedPaging = {
  limit: limitParameter({ maximum: 100, default: 25 }),
  cursor: cursorParameter,
  viewer_fid: viewerFidParameter,
}

/** The URLs of casts may be as long as a cast lets them. */
const MAX_URL_LENGTH = 2_048

/** The URL that casts stand below. */
export const parentUrl = (description: string) => textParameter({ description, maxLength: MAX_URL_LENGTH })

/** Where whoever recasts is part of the choice. */
export const withRecasts = flagParameter({ default: true, description: 'What they recast, too.' })

/** Where the choice is of places, and nobody in particular recasts. */
export const withRecastsUnused = flagParameter({
  default: true,
  description: 'Has no effect here: a recast belongs to who recasts, not to the place of the cast.',
})

export const withReplies = flagParameter({ default: false, description: 'Replies in the threads, too.' })

/** No default, though the published description has one: it would empty the channels that have no members. */
export const membersOnly = Type.Optional(
  Type.Boolean({
    deprecated: true,
    description: 'Only members of the channel, its lead among them; only where it is given as true.',
  }),
)

/** Fids of authors, up to `maxItems`. */
export const authors = (maxItems: number, description: string) =>
  listParameter(fidParameter({ description: 'An author.' }), { maxItems, description })
