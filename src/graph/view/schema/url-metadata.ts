import { type Static, Type } from '@sinclair/typebox'
import { Frame } from './frame.js'
import { HtmlMetadata } from './html-metadata.js'
import { nullable } from './schema-type.js'

const optionalInteger = Type.Optional(Type.Integer())

/** The result of crawling a URL. */
export const EmbedUrlMetadata = Type.Object(
  {
    _status: Type.String({ description: 'What became of the fetch.' }),
    content_type: Type.Optional(nullable(Type.String())),
    content_length: Type.Optional(nullable(Type.Integer({ description: 'Bytes.' }))),
    image: Type.Optional(Type.Object({ width_px: optionalInteger, height_px: optionalInteger })),
    video: Type.Optional(
      Type.Object({
        duration_s: Type.Optional(Type.Number()),
        stream: Type.Optional(
          Type.Array(
            Type.Object({
              codec_name: Type.Optional(Type.String()),
              width_px: optionalInteger,
              height_px: optionalInteger,
            }),
          ),
        ),
      }),
    ),
    html: Type.Optional(HtmlMetadata),
    frame: Type.Optional(Frame),
  },
  { $id: 'EmbedUrlMetadata' },
)
export type EmbedUrlMetadata = Static<typeof EmbedUrlMetadata>

export const CastEmbedCrawlResponse = Type.Object(
  { metadata: EmbedUrlMetadata },
  { $id: 'CastEmbedCrawlResponse' },
)
export type CastEmbedCrawlResponse = Static<typeof CastEmbedCrawlResponse>
