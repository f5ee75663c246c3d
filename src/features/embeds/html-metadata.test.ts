import { describe, expect, it, vi } from 'vitest'
import { frameOf } from './frame.js'
import { htmlMetadata, readHtmlHead } from './html-metadata.js'
import { decodePage } from './page-text.js'

const page = new URL('https://plaza.social/posts/1?a=b')

function metadataOf(html: string) {
  return htmlMetadata(readHtmlHead(html, page))
}

function frame(html: string) {
  const head = readHtmlHead(html, page)
  return frameOf(head, page, htmlMetadata(head))
}

describe('htmlMetadata', () => {
  it('reads Open Graph properties', () => {
    const html = `<!doctype html><html lang="en"><head>
      <title>Not this</title>
      <meta property="og:title" content="A &amp; B">
      <meta property="OG:Description" content=" two
        lines ">
      <meta name="og:site_name" content="Plaza">
      <meta property="og:url" content="/posts/1">
      <meta property="article:published_time" content="2025-01-01T00:00:00Z">
      <link rel="shortcut icon" href="/favicon.ico">
      </head><body><p>text`
    expect(metadataOf(html)).toEqual({
      favicon: 'https://plaza.social/favicon.ico',
      ogArticlePublishedTime: '2025-01-01T00:00:00Z',
      ogDescription: 'two lines',
      ogLocale: 'en',
      ogSiteName: 'Plaza',
      ogTitle: 'A & B',
      ogUrl: 'https://plaza.social/posts/1',
    })
  })

  it('falls back to title, description and links', () => {
    const html = `<title>Home</title><meta name="description" content="A place">
      <link rel="canonical" href="//www.plaza.social/home"><link rel="icon" href="data:,"><link rel="apple-touch-icon" href="touch.png">
      <meta name="twitter:image" content="card.png"><meta name="twitter:image:alt" content="A card">`
    expect(metadataOf(html)).toEqual({
      favicon: 'https://plaza.social/posts/touch.png',
      ogDescription: 'A place',
      ogImage: [{ url: 'https://plaza.social/posts/card.png', alt: 'A card' }],
      ogTitle: 'Home',
      ogUrl: 'https://www.plaza.social/home',
    })
  })

  it('assigns structured properties to the preceding picture', () => {
    const html = `
      <meta property="og:image:width" content="1">
      <meta property="og:image" content="http://plaza.social/a.png">
      <meta property="og:image:secure_url" content="https://plaza.social/a.png">
      <meta property="og:image:width" content="640"><meta property="og:image:height" content="480">
      <meta property="og:image" content="javascript:alert(1)">
      <meta property="og:image" content="b.png"><meta property="og:image:alt" content="B">
      <meta property="og:video" content="/film.mp4"><meta property="og:video:type" content="video/mp4">`
    expect(metadataOf(html)).toEqual({
      ogImage: [
        { url: 'https://plaza.social/a.png', width: '640', height: '480' },
        { url: 'https://plaza.social/posts/b.png', alt: 'B' },
      ],
      ogVideo: [{ url: 'https://plaza.social/film.mp4', type: 'video/mp4' }],
    })
  })

  const imagesOf = (...tags: readonly [property: string, content: string][]) => {
    const html = tags.map(([part, content]) => `<meta property="og:image${part}" content="${content}">`)
    return metadataOf(html.join('')).ogImage?.map(({ url, ...parts }) => ({
      url: url.replace('https://plaza.social/posts/', ''),
      ...parts,
    }))
  }

  it('after the last picture that is kept, parts of others change nothing', () => {
    const pictures = ['1', '2', '3', '4', '5'].flatMap((n): [string, string][] => [
      ['', n],
      [':secure_url', `${n}s`],
      [':url', `${n}u`],
      [':alt', `alt of ${n}`],
    ])
    expect(imagesOf(...pictures)).toEqual(
      ['1', '2', '3', '4'].map((n) => ({ url: `${n}u`, alt: `alt of ${n}` })),
    )
    expect(imagesOf(['', '1'], ['', '2'], ['', '3'], ['', '4'], ['', '5'], [':width', '9'])?.at(-1)).toEqual({
      url: '4',
    })
  })

  it('each og:image:url without an og:image is a picture', () => {
    expect(
      imagesOf([':url', 'a'], [':alt', 'A'], [':url', 'b'], [':secure_url', 'c'], [':alt', 'B']),
    ).toEqual([
      { url: 'a', alt: 'A' },
      { url: 'c', alt: 'B' },
    ])
    expect(imagesOf(['', 'a'], [':url', 'b'], [':url', 'c'])).toEqual([{ url: 'b' }, { url: 'c' }])
    expect(imagesOf([':secure_url', 'a'], [':secure_url', 'b'])).toEqual([{ url: 'a' }, { url: 'b' }])
    expect(imagesOf(...Array.from({ length: 9 }, (_, n): [string, string] => [':url', `${n}`]))).toHaveLength(
      4,
    )
  })

  it('parts of a picture whose URL is none do not go to the one before', () => {
    expect(imagesOf(['', 'a'], ['', 'data:,'], [':secure_url', 'b'], [':alt', 'B'], ['', 'c'])).toEqual([
      { url: 'a' },
      { url: 'c' },
    ])
    expect(imagesOf([':url', 'a'], [':url', 'data:,'], [':alt', 'B'])).toEqual([{ url: 'a' }])
    expect(imagesOf(['', 'a'], [':secure_url', 'data:,'], [':alt', 'A'])).toEqual([{ url: 'a', alt: 'A' }])
    expect(imagesOf(['', 'a'], ['-url', 'b'])).toEqual([{ url: 'a' }])
  })

  it('resolves URLs against the first base', () => {
    const html = `<base href="https://cdn.social/x/"><base href="https://evil.social/">
      <meta property="og:image" content="a.png"><meta property="og:logo" content="mailto:a@b.social">`
    expect(metadataOf(html)).toEqual({ ogImage: [{ url: 'https://cdn.social/x/a.png' }] })
  })

  it('ignores titles inside SVG', () => {
    expect(metadataOf('<svg><title>Icon</title></svg><title>Page</title><title>More</title>')).toEqual({
      ogTitle: 'Page',
    })
    expect(metadataOf('<title>Never closed <meta property="og:title" content="no">')).toEqual({
      ogTitle: 'Never closed <meta property="og:title" content="no">',
    })
  })

  it('ignores scripts, comments and attributes', () => {
    const html = `<script>"<meta property='og:title' content='script'>"</script>
      <!-- <meta property="og:title" content="comment"> -->
      <div data-x='<meta property="og:title" content="attribute">'></div>
      <style><meta property="og:title" content="style"></style>`
    expect(metadataOf(html)).toEqual({})
  })

  it('reads a bounded number of tags', () => {
    const images = '<meta property="og:image" content="a.png">'.repeat(100)
    const { ogTitle, ogImage } = metadataOf(`<title>${'a'.repeat(100_000)}</title>${images}`)
    expect([ogTitle?.length, ogImage?.length]).toEqual([1_000, 4])
  })

  const type = '<meta property="og:type" content="article">'

  it.each([
    ['unclosed', 300_000, 100_000],
    ['as deep as is read', 100, 260_000],
    ['a little deeper', 1_990, 260_000],
  ])('takes linear time for elements that are %s, and closing tags of others', (_, open, closed) => {
    const html = `<title>Deep</title>${type}${'<i>'.repeat(open)}${'</b>'.repeat(closed)}`
    expect(metadataOf(html)).toEqual({ ogTitle: 'Deep', ogType: 'article' })
  })

  it.each([
    ['one tag', 1],
    ['many tags', 5_000],
  ])('keeps no attributes but those of declarations: 50,000 in %s', (_, tags) => {
    // The parser calls it for each attribute that it keeps, which takes ten times as long as to read them.
    const hasOwn = vi.spyOn(Object, 'hasOwn')
    const names = (tag: number) => Array.from({ length: 50_000 / tags }, (_, n) => `a${tag}-${n}`).join(' ')
    const elements = Array.from({ length: tags }, (_, tag) => `<i ${names(tag)}></i>`).join('')
    const metadata = metadataOf(
      `${elements}<title>Behind</title><meta ${names(0)} name="og:type" content="a">`,
    )
    const kept = hasOwn.mock.calls.length
    hasOwn.mockRestore()
    expect(metadata).toEqual({ ogTitle: 'Behind', ogType: 'a' })
    expect(kept).toBe(0)
  })

  it('the first of equal attributes counts, in any letter case, and none of the tag before', () => {
    const html = `<html LANG="" lang="en"><meta NAME="og:title" name="og:type" content content="a">
      <meta property="og:locale" content="de" content="fr"><meta property="og:date">
      <link rel="icon" href="/a.png"><link rel="canonical"><link href="/b.png">`
    expect(metadataOf(html)).toEqual({ ogLocale: 'de', favicon: 'https://plaza.social/a.png' })
  })

  it('reading ends where 100 elements are open, also in the middle of a small page', () => {
    const nested = (depth: number) =>
      `<title>Deep</title>${'<i>'.repeat(depth)}${'</i>'.repeat(depth)}${type}`
    expect(metadataOf(nested(100))).toEqual({ ogTitle: 'Deep', ogType: 'article' })
    expect(metadataOf(nested(101))).toEqual({ ogTitle: 'Deep' })
    // Elements that were closed again, or have no end, do not count.
    expect(metadataOf('<p><i></i><br><img>'.repeat(200) + type)).toEqual({ ogType: 'article' })
  })

  it.each([
    '',
    '<',
    '<html',
    '<meta',
    '<meta property',
    '<meta property="og:title"',
    '<meta property="og:title" content>',
    '<meta property="__proto__" content="a"><meta name="constructor" content="b">',
    '<title></title>',
    '<base href="http://[">',
    '&#xd800;&#0;',
    '</html></title></svg>',
    '\0\u0001\u{1f600}',
    '<![CDATA[<meta property="og:title" content="a">]]>',
  ])('accepts garbage: %j', (html) => {
    expect(metadataOf(html)).toEqual({})
  })

  it('drops characters that a database cannot store', () => {
    const html =
      '<meta property="og:title" content="a\0b&#xd800;c"><meta property="og:type" content="&#x1f600;">'
    expect(metadataOf(html)).toEqual({ ogTitle: 'a b\ufffdc', ogType: '😀' })
    const cut = metadataOf(`<title>${'a'.repeat(999)}😀</title>`)
    expect(cut.ogTitle).toBe('a'.repeat(999))
  })
})

describe('decodePage', () => {
  it.each([
    ['its byte order mark', Buffer.from('\ufeffé', 'utf16le'), 'text/html'],
    ['its header', Buffer.from('é', 'latin1'), 'text/html; charset=ISO-8859-1'],
    ['itself', Buffer.from('<meta charset="windows-1252"><p>é', 'latin1'), 'text/html'],
    ['custom', Buffer.from('é'), ''],
    ['its header, if that is known', Buffer.from('é'), 'text/html; charset=klingon'],
  ])('decodes by %s', (_, bytes, contentType) => {
    expect(decodePage(bytes, contentType)).toContain('é')
  })

  it.each([
    '<meta charset = windows-1252 >',
    `<META name="a" CHARSET='windows-1252'>`,
    `<meta http-equiv="content-type" content="text/html; charset= 'windows-1252'">`,
  ])('decodes by its declaration %s', (declaration) => {
    expect(decodePage(Buffer.from(`${declaration}é`, 'latin1'), 'text/html')).toContain('é')
  })

  it('replaces undecodable bytes', () => {
    expect(decodePage(Buffer.from([0xff, 0x61, 0xc3]), 'text/html')).toBe('\ufffda\ufffd')
  })
})

describe('frameOf', () => {
  it('reads a mini app from fc:miniapp, then fc:frame', () => {
    const app = (title: string) =>
      JSON.stringify({
        version: '1',
        imageUrl: 'https://plaza.social/card.png',
        button: { title, action: { type: 'launch_miniapp', name: 'Plaza', url: 'https://plaza.social/app' } },
      }).replaceAll('"', '&quot;')
    expect(
      frame(
        `<title>Home</title><meta name="fc:frame" content="${app('Old')}"><meta name="fc:miniapp" content="${app('New')}">`,
      ),
    ).toEqual({
      version: '1',
      frames_url: 'https://plaza.social/app',
      image: 'https://plaza.social/card.png',
      title: 'New',
      metadata: { html: { ogTitle: 'Home' } },
    })
  })

  it('a fc:miniapp that is none does not hide the fc:frame', () => {
    const app = '{"version":"1","imageUrl":"https://plaza.social/card.png"}'
    const tags = (miniapp: string, old: string) =>
      `<meta name="fc:miniapp" content='${miniapp}'><meta name="fc:frame" content='${old}'>`
    for (const broken of ['not JSON', '{"version":"1"}', 'vNext']) {
      expect(frame(tags(broken, app))).toMatchObject({ image: 'https://plaza.social/card.png' })
      expect(frame(tags(app, broken))).toMatchObject({ image: 'https://plaza.social/card.png' })
    }
    const image = '<meta name="fc:frame:image" content="/a.png">'
    expect(frame(tags('not JSON', 'vNext') + image)).toMatchObject({ version: 'vNext' })
    expect(frame(tags('not JSON', '{}'))).toBeUndefined()
  })

  it.each([
    [{ type: 'launch_miniapp', name: 'Plaza' }, page.href],
    [{ type: 'launch_miniapp', name: 'Plaza', url: 'javascript:alert(1)' }, page.href],
    [{ type: 'launch_miniapp', name: 'Plaza', url: '/play' }, new URL('/play', page).href],
  ])('a mini app that launches by %j has the URL %s', (action, url) => {
    const app = { version: 'next', imageUrl: 'https://plaza.social/card.png', button: { action } }
    const content = JSON.stringify(app).replaceAll('"', '&quot;')
    expect(frame(`<meta name="fc:miniapp" content="${content}">`)).toMatchObject({ frames_url: url })
  })

  it('reads a frame v1 from its tags', () => {
    const html = `<meta property="og:title" content="Vote">
      <meta property="fc:frame" content="vNext"><meta property="fc:frame:image" content="/vote.png">
      <meta property="fc:frame:image:aspect_ratio" content="1:1"><meta property="fc:frame:post_url" content="/vote">
      <meta property="fc:frame:button:1" content="Yes"><meta property="fc:frame:button:2" content="See">
      <meta property="fc:frame:button:2:action" content="link"><meta property="fc:frame:button:2:target" content="https://a.social/">
      <meta property="fc:frame:button:4" content="Never"><meta property="fc:frame:input:text" content="Why?">`
    expect(frame(html)).toEqual({
      version: 'vNext',
      frames_url: page.href,
      image: 'https://plaza.social/vote.png',
      image_aspect_ratio: '1:1',
      title: 'Vote',
      post_url: 'https://plaza.social/vote',
      buttons: [
        { index: 1, action_type: 'post', title: 'Yes' },
        { index: 2, action_type: 'link', title: 'See', target: 'https://a.social/' },
      ],
      input: { text: 'Why?' },
      state: {},
    })
  })

  it.each([
    ['<meta property="fc:frame:input:text" content="">', { text: '' }],
    ['<meta property="fc:frame:input:text" content="Why?">', { text: 'Why?' }],
    ['', {}],
  ])('a frame v1 with %j has the input %j', (tag, input) => {
    const html = `<meta property="fc:frame" content="vNext"><meta property="fc:frame:image" content="/a.png">${tag}`
    expect(frame(html)).toMatchObject({ input })
  })

  it('passes the state of a frame v1 on as it is', () => {
    const stateOf = (state: string) => {
      const html = `<meta property="fc:frame" content="vNext"><meta property="fc:frame:image" content="/a.png">
        <meta property="fc:frame:state" content="${state}">`
      return (frame(html) as { state: object }).state
    }
    expect(stateOf(' {&quot;a&quot;:  1}\n.signature ')).toEqual({ serialized: ' {"a":  1}\n.signature ' })
    expect(stateOf('a'.repeat(4_096))).toEqual({ serialized: 'a'.repeat(4_096) })
    for (const dropped of ['', 'a'.repeat(4_097), 'a\0b', 'a\ud800b']) expect(stateOf(dropped)).toEqual({})
  })

  it.each([
    'not JSON',
    '{}',
    '[]',
    'null',
    '1',
    '{"version":1,"imageUrl":"https://a.social/a.png"}',
    '{"version":"1","imageUrl":"data:,"}',
    '{"version":"1","imageUrl":{"toString":"a"}}',
    'vNext',
  ])('refuses %s', (content) => {
    expect(frame(`<meta name="fc:frame" content='${content}'>`)).toBeUndefined()
  })
})
