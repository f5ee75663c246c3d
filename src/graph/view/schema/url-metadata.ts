import { type Static, Type } from '@sinclair/typebox'
import { Frame } from './frame.js'
import { HtmlMetadata } from './html-metadata.js'
import { namedObject, nullable } from './schema-type.js'

const pixels = Type.Optional(Type.Integer({ examples: [1200] }))

/** Metadata of a URL. */
export const EmbedUrlMetadata = namedObject('EmbedUrlMetadata', {
  _status: Type.String({ description: 'Result of the fetch.', examples: ['RESOLVED'] }),
  content_type: Type.Optional(nullable(Type.String({ examples: ['text/html; charset=utf-8'] }))),
  content_length: Type.Optional(nullable(Type.Integer({ description: 'Bytes.', examples: [48_120] }))),
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

export const CastEmbedCrawlResponse = namedObject('CastEmbedCrawlResponse', { metadata: EmbedUrlMetadata })
