import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { serveHttp } from '../../platform/outbound/testing/loopback-server.js'
import { type CrawlFailure, type CrawlResult, crawl, isCrawlResult } from './crawl.js'
import { gif, jpeg, png } from './testing/image-bytes.js'
import { mp4 } from './testing/video-bytes.js'

const client = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => client.close())

async function crawlAt(listener: RequestListener, path = '/'): Promise<CrawlResult | CrawlFailure> {
  const { origin } = await serveHttp(listener)
  return crawl(client, origin + path, new AbortController().signal)
}

async function foundAt(listener: RequestListener, path?: string): Promise<CrawlResult> {
  const result = await crawlAt(listener, path)
  return isCrawlResult(result) ? result : expect.fail(result.failure)
}

/** Crawls a URL that returns this body and content type. */
function foundIn(body: string | Buffer, contentType?: string, path?: string): Promise<CrawlResult> {
  const length = { 'content-length': Buffer.byteLength(body) }
  const headers = contentType === undefined ? length : { ...length, 'content-type': contentType }
  return foundAt((_, res) => res.writeHead(200, headers).end(body), path)
}

describe('crawl', () => {
  it('a page -> its metadata', async () => {
    const body = '<title>Hello</title>'
    expect(await foundIn(body, 'text/html; charset=utf-8')).toEqual({
      kind: 'text/html',
      metadata: {
        _status: 'RESOLVED',
        content_type: 'text/html; charset=utf-8',
        content_length: body.length,
        html: { ogTitle: 'Hello' },
      },
    })
  })

  it('a compressed page -> the same with the decompressed length', async () => {
    const { metadata } = await foundAt((_, res) => {
      const body = gzipSync('<title>Hello</title>')
      res.writeHead(200, {
        'content-type': 'text/html',
        'content-encoding': 'gzip',
        'content-length': body.length,
      })
      res.end(body)
    })
    expect(metadata).toMatchObject({ content_length: 20, html: { ogTitle: 'Hello' } })
  })

  it('an image -> its size, reading only its beginning', async () => {
    let sent = 0
    const { kind, metadata } = await foundAt((_, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': 50_000_000 })
      res.write(png(640, 480))
      const more = () => {
        while (!res.destroyed && sent < 50_000_000 && res.write(Buffer.alloc(100_000))) sent += 100_000
      }
      res.on('drain', more)
      more()
    })
    expect(kind).toBe('image/png')
    expect(metadata).toMatchObject({ content_length: 50_000_000, image: { width_px: 640, height_px: 480 } })
    expect(sent).toBeLessThan(50_000_000)
  })

  it('a video -> its duration and size', async () => {
    const { kind, metadata } = await foundIn(
      mp4({ width: 1280, height: 720, durationMs: 2_000 }),
      'video/mp4',
    )
    expect(kind).toBe('video/mp4')
    expect(metadata.video).toEqual({
      duration_s: 2,
      stream: [{ codec_name: 'h264', width_px: 1280, height_px: 720 }],
    })
  })

  it('a stream -> its renditions', async () => {
    const body = '#EXTM3U\n#EXT-X-STREAM-INF:RESOLUTION=640x360\na.m3u8\n'
    const { kind, metadata } = await foundIn(body, 'application/vnd.apple.mpegurl')
    expect(kind).toBe('application/x-mpegurl')
    expect(metadata.video).toEqual({ stream: [{ width_px: 640, height_px: 360 }] })
  })

  it('anything else -> type and length without the body', async () => {
    expect(await foundIn(Buffer.alloc(1_000), 'application/pdf')).toEqual({
      kind: 'application/pdf',
      metadata: { _status: 'RESOLVED', content_type: 'application/pdf', content_length: 1_000 },
    })
    expect((await foundIn('a', 'application/zip')).kind).toBeNull()
  })

  it('follows redirects and resolves URLs against the final one', async () => {
    const { metadata } = await foundAt((req, res) => {
      if (req.url === '/') res.writeHead(302, { location: '/deep/page' }).end()
      else res.writeHead(200, { 'content-type': 'text/html' }).end('<link rel="icon" href="icon.png">')
    })
    expect(metadata.html?.favicon).toMatch(/\/deep\/icon\.png$/)
  })

  it('private addresses -> refused, also by redirect', async () => {
    const result = await crawlAt((_, res) => res.writeHead(302, { location: 'http://10.0.0.1/' }).end())
    expect(result).toMatchObject({
      failure: expect.stringContaining('forbidden-address'),
      isTransient: false,
    })
  })
})

describe('crawl: wrong headers', () => {
  it('a wrong type -> reported as declared, without invented facts', async () => {
    const image = await foundIn('<title>Hello</title>', 'image/png')
    expect([image.kind, image.metadata.image, image.metadata.html]).toEqual([
      'image/png',
      undefined,
      undefined,
    ])
    const page = await foundIn(png(640, 480), 'text/html')
    expect([page.kind, page.metadata.html, page.metadata.image]).toEqual(['text/html', {}, undefined])
    const film = await foundIn('#EXTM3U', 'video/mp4')
    expect([film.kind, film.metadata.video]).toEqual(['video/mp4', {}])
    const playlist = await foundIn('hello', 'application/x-mpegurl')
    expect([playlist.kind, playlist.metadata.video]).toEqual(['application/x-mpegurl', undefined])
  })

  it("a missing type -> detected by magic numbers or the URL's extension", async () => {
    const unsaid = await foundIn(jpeg(640, 480), undefined, '/cat.png')
    expect([unsaid.kind, unsaid.metadata.image?.width_px, unsaid.metadata.content_type]).toEqual([
      'image/jpeg',
      640,
      null,
    ])
    expect((await foundIn(gif(1, 2), 'application/octet-stream')).kind).toBe('image/gif')
    const film = await foundIn(
      mp4({ width: 2, height: 1, durationMs: 1_000 }),
      'binary/octet-stream',
      '/a.mp4',
    )
    expect([film.kind, film.metadata.video?.duration_s]).toEqual(['video/mp4', 1])
    expect((await foundIn('hello', 'application/octet-stream')).kind).toBeNull()
  })

  it('a wrong length -> bounded reading and waiting', async () => {
    const result = await crawlAt((req, res) => {
      res.writeHead(200, { 'content-type': 'image/png', 'content-length': 10_000_000 })
      res.write(png(640, 480))
      setTimeout(() => req.socket.destroy(), 50)
    })
    expect(result).toMatchObject({ failure: expect.stringContaining('connection'), isTransient: true })
  })
})

describe('crawl: status codes', () => {
  it.each([
    [404, true],
    [429, true],
    [500, true],
    [503, true],
    [400, false],
    [451, false],
    [304, false],
  ])('%i -> failure, transient: %s', async (status, isTransient) => {
    const result = await crawlAt((_, res) =>
      res.writeHead(status, { 'content-type': 'text/html' }).end('<title>Oh'),
    )
    expect(result).toEqual({ failure: `status ${status}`, isTransient, retryAfterMs: 0 })
  })

  it.each([401, 403, 410])('%i -> refused for now: tried three times', async (status) => {
    const result = await crawlAt((_, res) => res.writeHead(status).end())
    expect(result).toEqual({
      failure: `status ${status}`,
      isTransient: true,
      maxAttempts: 3,
      retryAfterMs: 0,
    })
  })

  it('Retry-After -> returned', async () => {
    const retryAfter = (value: string) =>
      crawlAt((_, res) => res.writeHead(429, { 'retry-after': value }).end())
    expect(await retryAfter('120')).toMatchObject({ retryAfterMs: 120_000 })
    expect(await retryAfter('999999999')).toMatchObject({ retryAfterMs: 86_400_000 })
    expect(await retryAfter('Wed, 21 Oct 2065 07:28:00 GMT')).toMatchObject({ retryAfterMs: 0 })
  })
})

describe('crawl: oEmbed', () => {
  const link = (href: string) => `<link rel="alternate" type="application/json+oembed" href="${href}">`

  async function oembedFor(answer: string, status = 200, href = '/oembed?url=a') {
    const { metadata } = await foundAt((req, res) => {
      if (req.url === '/') res.writeHead(200, { 'content-type': 'text/html' }).end(link(href))
      else res.writeHead(status, { 'content-type': 'application/json' }).end(answer)
    })
    return metadata.html?.oembed
  }

  it('is part of the result', async () => {
    const answer = {
      type: 'video',
      version: 1,
      title: 'Film',
      html: '<iframe></iframe>',
      width: '640',
      height: 480,
    }
    expect(await oembedFor(JSON.stringify(answer))).toEqual({
      type: 'video',
      version: '1',
      title: 'Film',
      html: '<iframe></iframe>',
      width: 640,
      height: 480,
      author_name: null,
      author_url: null,
      provider_name: null,
      provider_url: null,
      cache_age: null,
      thumbnail_url: null,
      thumbnail_width: null,
      thumbnail_height: null,
    })
  })

  it('is omitted when invalid', async () => {
    expect(await oembedFor('<html>')).toBeUndefined()
    expect(await oembedFor('{"type":"gift"}')).toBeUndefined()
    expect(await oembedFor('{"type":"link"}', 500)).toBeUndefined()
    expect(await oembedFor(JSON.stringify({ type: 'link', title: 'a'.repeat(70_000) }))).toBeUndefined()
  })

  it('is not requested from another host', async () => {
    const other = await serveHttp((_, res) => res.end('{"type":"link"}'))
    expect(await oembedFor('', 200, `http://localhost:${other.port}/`)).toBeUndefined()
    expect(other.connections()).toBe(0)
  })
})
