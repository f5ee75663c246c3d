import { type Static, Type } from '@sinclair/typebox'
import { nullable } from './schema-type.js'

const text = nullable(Type.String(), { examples: [null] })
const optionalText = Type.Optional(text)
const optionalNumber = Type.Optional(nullable(Type.Number(), { examples: [null] }))

const sharedMembers = {
  version: text,
  title: optionalText,
  author_name: optionalText,
  author_url: optionalText,
  provider_name: optionalText,
  provider_url: optionalText,
  cache_age: optionalText,
  thumbnail_url: optionalText,
  thumbnail_width: optionalNumber,
  thumbnail_height: optionalNumber,
}

const sizeMembers = { width: optionalNumber, height: optionalNumber }

export const OembedRichData = Type.Object(
  { type: Type.Literal('rich'), html: text, ...sizeMembers, ...sharedMembers },
  { $id: 'OembedRichData' },
)

export const OembedVideoData = Type.Object(
  { type: Type.Literal('video'), html: text, ...sizeMembers, ...sharedMembers },
  { $id: 'OembedVideoData' },
)

export const OembedPhotoData = Type.Object(
  { type: Type.Literal('photo'), url: text, ...sizeMembers, ...sharedMembers },
  { $id: 'OembedPhotoData' },
)

export const OembedLinkData = Type.Object(
  { type: Type.Literal('link'), ...sharedMembers },
  { $id: 'OembedLinkData' },
)

/** The reply of an oEmbed provider for a URL. */
export const OembedData = Type.Union([OembedRichData, OembedVideoData, OembedPhotoData, OembedLinkData])
export type OembedData = Static<typeof OembedData>
