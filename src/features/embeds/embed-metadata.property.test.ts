import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Clean } from '@sinclair/typebox/value'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import {
  type EmbedUrlMetadata,
  emptyMetadata,
  FrameV1,
  FrameV2,
  EmbedUrlMetadata as Schema,
  type EmbedUrlMetadata as Shown,
} from '../../graph/view/schema/url-metadata.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { serveHttp } from '../../platform/outbound/testing/loopback-server.js'
import { crawl, isCrawlResult } from './crawl.js'
import { boundMetadata, MAX_METADATA_LENGTH } from './embed-metadata.js'
import { gif, jpeg, png, svg, webp } from './testing/image-bytes.js'
import { mp4 } from './testing/video-bytes.js'

const { db } = await createTestDatabase()
const client = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => client.close())

/** Checks at compile time that the two types agree. */
const shown = (metadata: EmbedUrlMetadata): Shown => metadata
const schema = TypeCompiler.Compile(Schema)

/** Copies only the members in the schema. Its union cannot tell the two frame types apart. */
function onlyKnown({ frame, ...rest }: Shown): unknown {
  const cleaned = Clean(Schema, structuredClone(rest))
  if (frame === undefined) return cleaned
  const known = Clean(frame.version === 'vNext' ? FrameV1 : FrameV2, structuredClone(frame))
  return { ...Object(cleaned), frame: known }
}

const properties = [
  ...['og:title', 'og:description', 'og:image', 'og:image:url', 'og:image:width', 'og:image:alt', 'og:video'],
  ...[
    'og:video:type',
    'og:video:tag',
    'og:url',
    'og:logo',
    'article:tag',
    'description',
    'twitter:image',
    'date',
  ],
  ...['fc:frame', 'fc:miniapp', 'fc:frame:image', 'fc:frame:button:1', 'fc:frame:button:1:action'],
  ...['fc:frame:post_url', 'fc:frame:state', 'fc:frame:input:text', '__proto__', 'toString'],
]
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.webUrl(),
  fc.constantFrom(
    'vNext',
    '&quot;',
    '\0',
    '\ud800',
    '&#xdfff;',
    '/a.png',
    '//b.social/',
    'data:,',
    'http://[',
    '640',
  ),
  fc.json(),
  fc.string({ minLength: 2_000, maxLength: 5_000 }),
)
const app = fc.record(
  { version: fc.anything(), imageUrl: fc.oneof(fc.webUrl(), fc.anything()), button: fc.anything() },
  { requiredKeys: [] },
)
const content = fc.oneof(
  text,
  app.map((value) => JSON.stringify(value) ?? ''),
)
const meta = fc
  .tuple(fc.constantFrom(...properties), content, fc.constantFrom('"', "'", ''))
  .map(([name, value, quote]) => `<meta property=${quote}${name}${quote} content=${quote}${value}${quote}>`)
const link = fc
  .tuple(fc.constantFrom('icon', 'canonical', 'alternate" type="application/json+oembed'), text)
  .map(([rel, href]) => `<link rel="${rel}" href="${href}">`)
const element = fc.oneof(
  { weight: 5, arbitrary: meta },
  link,
  text.map((value) => `<title>${value}</title>`),
  fc.constantFrom(
    '<svg>',
    '<base href="/b/">',
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '<',
    "<html lang='\0'>",
  ),
  text,
)
const oembedLink = '<link rel="alternate" type="application/json+oembed" href="/oembed">'
const page = fc.array(element, { maxLength: 20 }).map((parts) => Buffer.from(oembedLink + parts.join('')))

const media = fc
  .tuple(
    fc.constantFrom(
      ...[
        png(1, 2),
        gif(1, 2),
        jpeg(1, 2),
        svg(1, 2),
        webp(1, 2),
        mp4({ width: 1, height: 2, durationMs: 3 }),
      ],
      Buffer.from('#EXTM3U\n#EXT-X-STREAM-INF:RESOLUTION=1x2,CODECS="hvc1"\n#EXTINF:1.5\n#EXT-X-ENDLIST'),
    ),
    fc.uint8Array({ maxLength: 50 }),
    fc.nat(100),
  )
  .map(([start, noise, at]) => Buffer.concat([start.subarray(0, at), noise, start.subarray(at)]))

const contentType = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('text/html', 'text/html; charset=utf-16le', 'application/xhtml+xml'),
  },
  fc.constantFrom(
    'image/png',
    'image/avif',
    'video/mp4',
    'application/x-mpegurl',
    'application/octet-stream',
    '',
  ),
)
const oembed = fc.oneof(
  fc.json(),
  fc
    .record({
      type: fc.constantFrom('rich', 'video', 'photo', 'link', 'other'),
      version: fc.anything(),
      html: fc.anything(),
      width: fc.oneof(fc.double(), fc.string(), fc.nat()),
      thumbnail_url: fc.oneof(fc.webUrl(), fc.anything()),
      cache_age: fc.anything(),
    })
    .map((value) => JSON.stringify(value)),
)

it('embed metadata: any response gives metadata in the schema that PostgreSQL can store', async () => {
  let answer = { type: '', body: Buffer.alloc(0), oembed: '' }
  const { origin } = await serveHttp((req, res) => {
    if (req.url === '/oembed') res.end(answer.oembed)
    else res.writeHead(200, answer.type === '' ? {} : { 'content-type': answer.type }).end(answer.body)
  })
  const signal = new AbortController().signal
  await fc.assert(
    fc.asyncProperty(contentType, fc.oneof(page, media), oembed, async (type, body, provider) => {
      answer = { type, body, oembed: provider }
      const result = await crawl(client, `${origin}/page`, signal)
      if (!isCrawlResult(result)) return expect.fail(result.failure)
      const metadata = shown(result.metadata)
      expect([...schema.Errors(metadata)]).toEqual([])
      expect(onlyKnown(metadata)).toEqual(metadata)
      const json = JSON.stringify(metadata)
      expect(json.length).toBeLessThanOrEqual(MAX_METADATA_LENGTH)
      const [stored] = await db<{ metadata: unknown }[]>`select ${json}::text::jsonb as metadata`
      expect(stored?.metadata).toEqual(metadata)
    }),
    { numRuns: 500 },
  )
})

it('embed metadata: unreachable URLs have metadata too', () => {
  for (const status of ['PENDING', 'FAILED'] as const) {
    expect([...schema.Errors(shown(emptyMetadata(status)))]).toEqual([])
  }
})

it('boundMetadata: keeps the preview of a page with too much metadata', () => {
  const quotes = '"'.repeat(1_000)
  const url = `https://plaza.social/${'a'.repeat(1_000)}`
  const html = {
    ...Object.fromEntries(['ogMovie', 'ogEpisode', 'ogDate', 'ogType'].map((name) => [name, quotes])),
    ...{ ogTitle: quotes, ogDescription: quotes, ogSiteName: quotes, ogUrl: url, favicon: url },
    ogImage: [1, 2, 3, 4].map(() => ({ url, alt: quotes })),
  }
  const bounded = boundMetadata({
    ...emptyMetadata('PENDING'),
    html,
    frame: { version: '1', frames_url: url, image: url, title: quotes, metadata: { html } },
  })
  expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(MAX_METADATA_LENGTH)
  expect(bounded.html).toEqual({
    ...{ ogTitle: quotes, ogDescription: quotes, ogSiteName: quotes, ogUrl: url, favicon: url },
    ogImage: [{ url, alt: quotes }],
  })
})
