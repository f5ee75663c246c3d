import { type Static, type TOptional, type TString, Type } from '@sinclair/typebox'
import { OembedData } from './oembed.js'
import { namedObject } from './schema-type.js'

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
