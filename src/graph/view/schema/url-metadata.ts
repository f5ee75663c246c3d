import { type Static, type TOptional, type TString, Type } from '@sinclair/typebox'
import { ImageUrl, namedObject, nullable, textEnum, Uri, Url } from './primitives.js'
import { UserDehydrated } from './user-dehydrated.js'

const pixels = Type.Optional(Type.Integer({ examples: [1200] }))

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

/** An image of a page. Its members are copied from the page. */
export const ImageObject = namedObject('ImageObject', {
  url: Type.String(),
  alt: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  width: Type.Optional(Type.String()),
  height: Type.Optional(Type.String()),
})
export type ImageObject = Static<typeof ImageObject>

export const VideoObject = namedObject('VideoObject', {
  url: Type.String(),
  type: Type.Optional(Type.String()),
  width: Type.Optional(Type.String()),
  height: Type.Optional(Type.String()),
})
export type VideoObject = Static<typeof VideoObject>

/** Members that are strings of the page. */
export const htmlTexts = [
  'favicon',
  'modifiedTime',
  'ogArticleAuthor',
  'ogArticleExpirationTime',
  'ogArticleModifiedTime',
  'ogArticlePublishedTime',
  'ogArticlePublisher',
  'ogArticleSection',
  'ogArticleTag',
  'ogAudio',
  'ogAudioSecureURL',
  'ogAudioType',
  'ogAudioURL',
  'ogAvailability',
  'ogDate',
  'ogDescription',
  'ogDeterminer',
  'ogEpisode',
  'ogLocale',
  'ogLocaleAlternate',
  'ogLogo',
  'ogMovie',
  'ogPriceAmount',
  'ogPriceCurrency',
  'ogProductAvailability',
  'ogProductCondition',
  'ogProductPriceAmount',
  'ogProductPriceCurrency',
  'ogProductRetailerItemId',
  'ogSiteName',
  'ogTitle',
  'ogType',
  'ogUrl',
  'ogVideoActor',
  'ogVideoActorId',
  'ogVideoActorRole',
  'ogVideoDirector',
  'ogVideoDuration',
  'ogVideoOther',
  'ogVideoReleaseDate',
  'ogVideoSecureURL',
  'ogVideoSeries',
  'ogVideoTag',
  'ogVideoTvShow',
  'ogVideoWriter',
  'ogWebsite',
  'updatedTime',
] as const

const textMembers = Object.fromEntries(htmlTexts.map((name) => [name, Type.Optional(Type.String())])) as {
  [Name in (typeof htmlTexts)[number]]: TOptional<TString>
}

/** Metadata in the head of a page. Absent metadata is left out. */
export const HtmlMetadata = Type.Object(
  {
    ...textMembers,
    ogImage: Type.Optional(Type.Array(ImageObject)),
    ogVideo: Type.Optional(Type.Array(VideoObject)),
    oembed: Type.Optional(OembedData),
  },
  {
    $id: 'HtmlMetadata',
    examples: [
      {
        favicon: '/favicon.ico',
        ogTitle: 'Garden',
        ogDescription: 'What grows in our garden.',
        ogImage: [{ url: 'https://example.com/images/garden.png', width: '1200', height: '630' }],
      },
    ],
  },
)
export type HtmlMetadata = Static<typeof HtmlMetadata>

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

/** A JSON Farcaster Signature: three parts in base64url. */
export const EncodedJsonSignature = namedObject('EncodedJsonSignature', {
  header: Type.String({ examples: ['eyJmaWQiOjMsInR5cGUiOiJjdXN0b2R5In0'] }),
  payload: Type.String({ examples: ['eyJkb21haW4iOiJnYXJkZW4uZXhhbXBsZS5jb20ifQ'] }),
  signature: Type.String({ examples: ['MHg5ZjJjLi4u'] }),
})

const undocumentedText = Type.Optional(Type.String({ examples: [] }))

/** The description of a mini app in its manifest. */
export const MiniAppConfig = namedObject('MiniAppConfig', {
  version: textEnum(['1', '0.0.0', '0.0.1', 'next']),
  name: Type.String({ examples: ['Garden'] }),
  home_url: Url,
  icon_url: ImageUrl,
  image_url: undocumentedText,
  button_title: undocumentedText,
  splash_image_url: undocumentedText,
  splash_background_color: undocumentedText,
  webhook_url: undocumentedText,
  subtitle: undocumentedText,
  description: undocumentedText,
  tagline: undocumentedText,
  primary_category: undocumentedText,
  tags: Type.Optional(Type.Array(Type.String(), { examples: [] })),
  screenshot_urls: Type.Optional(Type.Array(Uri, { examples: [] })),
  hero_image_url: Type.Optional({ ...Uri, examples: [] }),
  og_title: undocumentedText,
  og_description: undocumentedText,
  og_image_url: Type.Optional({ ...Uri, examples: [] }),
  noindex: Type.Optional(Type.Boolean({ examples: [] })),
})
export type MiniAppConfig = Static<typeof MiniAppConfig>

export const MiniAppManifest = namedObject('MiniAppManifest', {
  account_association: EncodedJsonSignature,
  frame: Type.Optional({ ...MiniAppConfig, examples: [] }),
  miniapp: Type.Optional(MiniAppConfig),
})
export type MiniAppManifest = Static<typeof MiniAppManifest>

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

/** Metadata of a URL. */
export const EmbedUrlMetadata = namedObject('EmbedUrlMetadata', {
  _status: Type.String({
    description: 'Result of the fetch: `RESOLVED`, `FAILED`, or `PENDING` while there is none.',
    examples: ['RESOLVED'],
  }),
  content_type: Type.Optional(nullable(Type.String({ examples: ['text/html; charset=utf-8'] }))),
  content_length: Type.Optional(
    nullable(Type.Integer({ format: 'int64', description: 'Bytes.', examples: [48_120] })),
  ),
  image: Type.Optional(Type.Object({ width_px: pixels, height_px: pixels }, { examples: [] })),
  video: Type.Optional(
    Type.Object(
      {
        duration_s: Type.Optional(Type.Number()),
        stream: Type.Optional(
          Type.Array(
            Type.Object({
              codec_name: Type.Optional(Type.String()),
              width_px: pixels,
              height_px: pixels,
            }),
          ),
        ),
      },
      { examples: [] },
    ),
  ),
  html: Type.Optional(HtmlMetadata),
  frame: Type.Optional({ ...Frame, examples: [] }),
})
export type EmbedUrlMetadata = Static<typeof EmbedUrlMetadata>

/** Returns the metadata of a URL that was not fetched yet, or could not be. */
export function emptyMetadata(status: 'PENDING' | 'FAILED'): EmbedUrlMetadata {
  return { _status: status, content_type: null, content_length: null }
}
