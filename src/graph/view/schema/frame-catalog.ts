import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './primitives.js'
import { FrameV2 } from './url-metadata.js'
import { User } from './user.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A mini app of the catalog. */
export const FrameV2WithFullAuthor = Type.Object(
  { ...FrameV2.properties, author: Type.Optional(User) },
  { $id: 'FrameV2WithFullAuthor' },
)
export type FrameV2WithFullAuthor = Static<typeof FrameV2WithFullAuthor>

/** A page of mini apps. */
export const FrameCatalogResponse = Type.Object(
  { frames: Type.Array(FrameV2WithFullAuthor), next: NextCursor },
  { $id: 'FrameCatalogResponse' },
)
export type FrameCatalogResponse = Static<typeof FrameCatalogResponse>

/** Mini apps that people close to a user share. */
export const RelevantFramesResponse = Type.Object(
  {
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
  },
  { $id: 'RelevantFramesResponse' },
)
export type RelevantFramesResponse = Static<typeof RelevantFramesResponse>
