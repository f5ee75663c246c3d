import { type Static, Type } from '@sinclair/typebox'
import { HtmlMetadata } from './html-metadata.js'
import { MiniAppManifest } from './mini-app-manifest.js'
import { ImageUrl, Url } from './primitives.js'
import { namedObject, textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

export const FrameActionButton = namedObject('FrameActionButton', {
  index: Type.Integer({ examples: [1] }),
  action_type: textEnum(['post', 'post_redirect', 'tx', 'link', 'mint']),
  title: Type.Optional(Type.String({ examples: ['Open'] })),
  target: Type.Optional(Url),
  post_url: Type.Optional(Url),
})
export type FrameActionButton = Static<typeof FrameActionButton>

/** A frame of version 1: a page with buttons inside a cast. */
export const FrameV1 = namedObject('FrameV1', {
  version: Type.String({ examples: ['vNext'] }),
  frames_url: Url,
  image: ImageUrl,
  image_aspect_ratio: Type.Optional(Type.String({ examples: ['1.91:1'] })),
  title: Type.Optional(Type.String({ examples: ['Garden'] })),
  buttons: Type.Optional(Type.Array(FrameActionButton)),
  input: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) }, { examples: [] })),
  state: Type.Optional(Type.Object({ serialized: Type.Optional(Type.String()) }, { examples: [] })),
  post_url: Type.Optional(Url),
})
export type FrameV1 = Static<typeof FrameV1>

/** A mini app. */
export const FrameV2 = namedObject('FrameV2', {
  version: Type.String({ examples: ['next'] }),
  frames_url: Url,
  image: ImageUrl,
  title: Type.Optional(Type.String({ examples: ['Garden'] })),
  author: Type.Optional(UserDehydrated),
  manifest: Type.Optional(MiniAppManifest),
  metadata: Type.Optional(Type.Object({ html: HtmlMetadata })),
})
export type FrameV2 = Static<typeof FrameV2>

export const Frame = Type.Union([FrameV1, FrameV2], { $id: 'Frame' })
export type Frame = Static<typeof Frame>
