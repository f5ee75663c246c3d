import { type Static, Type } from '@sinclair/typebox'
import { Uri } from './primitives.js'
import { textEnum } from './schema-type.js'

/** A JSON signature: three parts in base64url. */
export const EncodedJsonSignature = Type.Object(
  { header: Type.String(), payload: Type.String(), signature: Type.String() },
  { $id: 'EncodedJsonSignature' },
)
export type EncodedJsonSignature = Static<typeof EncodedJsonSignature>

const optionalText = Type.Optional(Type.String())

/** The manifest of a mini app at `/.well-known`. */
export const MiniAppConfig = Type.Object(
  {
    version: textEnum(['1', '0.0.0', '0.0.1', 'next']),
    name: Type.String(),
    home_url: Type.String(),
    icon_url: Type.String(),
    image_url: optionalText,
    button_title: optionalText,
    splash_image_url: optionalText,
    splash_background_color: optionalText,
    webhook_url: optionalText,
    subtitle: optionalText,
    description: optionalText,
    tagline: optionalText,
    primary_category: optionalText,
    tags: Type.Optional(Type.Array(Type.String())),
    screenshot_urls: Type.Optional(Type.Array(Uri)),
    hero_image_url: Type.Optional(Uri),
    og_title: optionalText,
    og_description: optionalText,
    og_image_url: Type.Optional(Uri),
    noindex: Type.Optional(Type.Boolean()),
  },
  { $id: 'MiniAppConfig' },
)
export type MiniAppConfig = Static<typeof MiniAppConfig>

export const MiniAppManifest = Type.Object(
  {
    account_association: EncodedJsonSignature,
    frame: Type.Optional(MiniAppConfig),
    miniapp: Type.Optional(MiniAppConfig),
  },
  { $id: 'MiniAppManifest' },
)
export type MiniAppManifest = Static<typeof MiniAppManifest>
