import { type Static, Type } from '@sinclair/typebox'
import { namedObject, nullable } from './schema-type.js'

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

export const OembedRichData = namedObject('OembedRichData', {
  type: Type.Literal('rich'),
  html: text,
  ...sizeMembers,
  ...sharedMembers,
})

export const OembedVideoData = namedObject('OembedVideoData', {
  type: Type.Literal('video'),
  html: text,
  ...sizeMembers,
  ...sharedMembers,
})

export const OembedPhotoData = namedObject('OembedPhotoData', {
  type: Type.Literal('photo'),
  url: text,
  ...sizeMembers,
  ...sharedMembers,
})

export const OembedLinkData = namedObject('OembedLinkData', { type: Type.Literal('link'), ...sharedMembers })

/** The reply of an oEmbed provider for a URL. */
export const OembedData = Type.Union([OembedRichData, OembedVideoData, OembedPhotoData, OembedLinkData])
export type OembedData = Static<typeof OembedData>
