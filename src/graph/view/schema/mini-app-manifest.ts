import { Type } from '@sinclair/typebox'
import { ImageUrl, Uri, Url } from './primitives.js'
import { namedObject, textEnum } from './schema-type.js'

/** A JSON Farcaster Signature: three parts in base64url. */
export const EncodedJsonSignature = namedObject('EncodedJsonSignature', {
  header: Type.String({ examples: ['eyJmaWQiOjMsInR5cGUiOiJjdXN0b2R5In0'] }),
  payload: Type.String({ examples: ['eyJkb21haW4iOiJnYXJkZW4uZXhhbXBsZS5jb20ifQ'] }),
  signature: Type.String({ examples: ['MHg5ZjJjLi4u'] }),
})

const optionalText = Type.Optional(Type.String({ examples: [] }))

/** The description of a mini app in its manifest. */
export const MiniAppConfig = namedObject('MiniAppConfig', {
  version: textEnum(['1', '0.0.0', '0.0.1', 'next']),
  name: Type.String({ examples: ['Garden'] }),
  home_url: Url,
  icon_url: ImageUrl,
  image_url: optionalText,
  button_title: optionalText,
  splash_image_url: optionalText,
  splash_background_color: optionalText,
  webhook_url: optionalText,
  subtitle: optionalText,
  description: optionalText,
  tagline: optionalText,
  primary_category: optionalText,
  tags: Type.Optional(Type.Array(Type.String(), { examples: [] })),
  screenshot_urls: Type.Optional(Type.Array(Uri, { examples: [] })),
  hero_image_url: Type.Optional({ ...Uri, examples: [] }),
  og_title: optionalText,
  og_description: optionalText,
  og_image_url: Type.Optional({ ...Uri, examples: [] }),
  noindex: Type.Optional(Type.Boolean({ examples: [] })),
})

export const MiniAppManifest = namedObject('MiniAppManifest', {
  account_association: EncodedJsonSignature,
  frame: Type.Optional({ ...MiniAppConfig, examples: [] }),
  miniapp: Type.Optional(MiniAppConfig),
})
