import { type Static, Type } from '@sinclair/typebox'
import { NextCursor, namedObject } from '../../../graph/view/schema/primitives.js'
import { FrameV2 } from '../../../graph/view/schema/url-metadata.js'
import { User } from '../../../graph/view/schema/user.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

/** A mini app of the catalog. */
export const FrameV2WithFullAuthor = namedObject('FrameV2WithFullAuthor', {
  ...FrameV2.properties,
  author: Type.Optional(User),
})
export type FrameV2WithFullAuthor = Static<typeof FrameV2WithFullAuthor>

/** A page of mini apps. */
export const FrameCatalogResponse = namedObject('FrameCatalogResponse', {
  frames: Type.Array(FrameV2WithFullAuthor),
  next: NextCursor,
})
export type FrameCatalogResponse = Static<typeof FrameCatalogResponse>

/** Mini apps that people close to a user share. */
export const RelevantFramesResponse = namedObject('RelevantFramesResponse', {
  relevant_frames: Type.Array(
    Type.Object({
      frame: FrameV2WithFullAuthor,
      frames: Type.Array(FrameV2WithFullAuthor, {
        description: 'The same mini app, for older clients.',
      }),
      top_relevant_users: Type.Array(User),
      remaining_relevant_users: Type.Array(UserDehydrated),
    }),
  ),
})
export type RelevantFramesResponse = Static<typeof RelevantFramesResponse>
