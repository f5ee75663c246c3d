import { type Static, Type } from '@sinclair/typebox'
import { HtmlMetadata } from './html-metadata.js'
import { MiniAppManifest } from './mini-app-manifest.js'
import { textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

export const FrameActionButton = Type.Object(
  {
    index: Type.Integer(),
    action_type: textEnum(['post', 'post_redirect', 'tx', 'link', 'mint']),
    title: Type.Optional(Type.String()),
    target: Type.Optional(Type.String()),
    post_url: Type.Optional(Type.String()),
  },
  { $id: 'FrameActionButton' },
)
export type FrameActionButton = Static<typeof FrameActionButton>

/** A page of buttons inside a cast: the predecessor of mini apps. */
export const FrameV1 = Type.Object(
  {
    version: Type.String(),
    frames_url: Type.String(),
    image: Type.String(),
    image_aspect_ratio: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
    buttons: Type.Optional(Type.Array(FrameActionButton)),
    input: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
    state: Type.Optional(Type.Object({ serialized: Type.Optional(Type.String()) })),
    post_url: Type.Optional(Type.String()),
  },
  { $id: 'FrameV1' },
)
export type FrameV1 = Static<typeof FrameV1>

/** A mini app. */
export const FrameV2 = Type.Object(
  {
    version: Type.String(),
    frames_url: Type.String(),
    image: Type.String(),
    title: Type.Optional(Type.String()),
    author: Type.Optional(UserDehydrated),
    manifest: Type.Optional(MiniAppManifest),
    metadata: Type.Optional(Type.Object({ html: HtmlMetadata })),
  },
  { $id: 'FrameV2' },
)
export type FrameV2 = Static<typeof FrameV2>

export const Frame = Type.Union([FrameV1, FrameV2], { $id: 'Frame' })
export type Frame = Static<typeof Frame>
