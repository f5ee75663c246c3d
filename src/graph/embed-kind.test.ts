import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { embedTypes, kindOfContentType, kindOfUrl, kindsOf } from './embed-kind.js'

describe('embed kind', () => {
  it.each([
    ['https://a.social/cat.png', 'image/png'],
    ['https://a.social/cat.JPEG?width=5', 'image/jpeg'],
    ['https://a.social/cat.avif#top', 'image'],
    ['https://stream.a.social/live/index.m3u8', 'application/x-mpegurl'],
    ['https://a.social/film.mp4', 'video/mp4'],
    ['https://a.social/paper.pdf', 'application/pdf'],
    ['https://a.social/', null],
    ['https://a.social/page', null],
    ['https://a.social/?file=cat.png', null],
    ['https://cat.png/', null],
    ['https://a.social/v1.0', null],
    ['chain://eip155:1/erc721:0x1', null],
    ['not a URL.png', null],
  ])('of %s is %s until the URL is crawled', (url, kind) => {
    expect(kindOfUrl(url)).toBe(kind)
  })

  it.each([
    ['text/html; charset=utf-8', 'text/html'],
    ['TEXT/HTML', 'text/html'],
    ['image/jpg', 'image/jpeg'],
    ['image/avif', 'image'],
    ['text/markdown', 'text'],
    ['application/vnd.apple.mpegurl', 'application/x-mpegurl'],
    ['application/ld+json', 'application/json'],
    ['application/zip', null],
    ['', null],
    ['text', 'text'],
    ['constructor', null],
  ])('of content type "%s" is %s', (contentType, kind) => {
    expect(kindOfContentType(contentType)).toBe(kind)
  })

  it('is one of the types that a feed accepts, or null', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom(...embedTypes)), (text) => {
        for (const kind of [kindOfContentType(text), kindOfUrl(text)]) {
          if (kind !== null) expect(embedTypes).toContain(kind)
        }
      }),
    )
  })
})

describe('kinds of an embed type', () => {
  it('a family includes all of its media types, and live streams are video', () => {
    expect(kindsOf(['image'])).toEqual([
      'image',
      'image/jpeg',
      'image/png',
      'image/gif',
      'image/webp',
      'image/svg+xml',
      'image/heif',
    ])
    expect(kindsOf(['video'])).toEqual(['video', 'video/mp4', 'video/quicktime', 'application/x-mpegurl'])
  })

  it('a media type is only itself', () => {
    expect(kindsOf(['image/png', 'application/pdf'])).toEqual(['image/png', 'application/pdf'])
  })

  it('every kind includes itself', () => {
    for (const type of embedTypes) expect(kindsOf([type])).toContain(type)
  })
})
