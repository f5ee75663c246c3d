import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../../app/testing/test-api.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { createTestCrawler, free } from '../../embeds/testing/crawl-site.js'
import { createPublishingNetwork } from '../../publishing/routes/testing/publishing-network.js'

let url = ''
const publicUrl = () => url
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
const { db, hub, api, signers } = await createPublishingNetwork({ net, publicUrl })
url = await api.app.listen({ host: '127.0.0.1', port: 0 })
const other = await createTestApi({ db, hub, publicUrl, appName: 'another' })
afterAll(async () => {
  await api.app.close()
  await net.close()
})

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const page = (digit: number, more: object = {}) => ({
  uuid: uuid(digit),
  title: `Page <${digit}>`,
  image: { url: `https://example.com/${digit}.png`, aspect_ratio: '1:1' },
  ...more,
})
const buttons = [
  { title: 'Next "one"', index: 1, action_type: 'post', next_page: { uuid: uuid(2) } },
  {
    title: 'Go',
    index: 2,
    action_type: 'post_redirect',
    next_page: { redirect_url: 'https://example.com/go' },
  },
  { title: 'Read', index: 3, action_type: 'link', next_page: { redirect_url: 'https://example.com/read' } },
]
const pages = [page(1, { buttons, input: { text: { enabled: true, placeholder: 'How much?' } } }), page(2)]

async function create(more: object = {}) {
  const reply = await api.send('POST', 'frame', { name: 'Garden', pages, ...more })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

describe('a hosted frame', () => {
  it('is created, found, listed, updated and deleted by its app alone', async () => {
    const frame = await create()
    expect(frame).toMatchObject({ name: 'Garden', link: `${url}/f/frames/${frame.uuid}`, valid: true })
    expect(frame.pages.map((each: { version: string }) => each.version)).toEqual(['vNext', 'vNext'])
    expect((await api.get('frame', { uuid: frame.uuid })).json()).toEqual(frame)
    expect((await api.get('frame', { type: 'url', url: frame.link })).json()).toEqual(frame)
    expect((await api.get('frame/list')).json()).toEqual([frame])
    expect((await other.get('frame/list')).json()).toEqual([])

    const changed = { uuid: frame.uuid, pages: [page(1, { buttons })] }
    expect((await other.send('PUT', 'frame', changed)).statusCode).toBe(404)
    expect((await other.get('frame', { uuid: frame.uuid })).statusCode).toBe(404)
    expect((await other.send('DELETE', 'frame', { uuid: frame.uuid })).statusCode).toBe(404)
    // The first button leads to a page that is gone.
    expect((await api.send('PUT', 'frame', changed)).json()).toMatchObject({ name: 'Garden', valid: false })
    expect((await api.send('DELETE', 'frame', { uuid: frame.uuid })).json()).toEqual({
      success: true,
      uuid: frame.uuid,
    })
    expect((await api.get('frame', { uuid: frame.uuid })).statusCode).toBe(404)
    expect((await fetch(frame.link)).status).toBe(404)
  })

  it('may name its pages as it likes, as bots do', async () => {
    const named = [{ ...page(1), uuid: 'gm', buttons: [{ ...buttons[0], next_page: { uuid: 'gn_2' } }] }]
    const { link, valid, pages: created } = await create({ pages: [...named, { ...page(2), uuid: 'gn_2' }] })
    expect([valid, created.map((each: { uuid: string }) => each.uuid)]).toEqual([true, ['gm', 'gn_2']])
    expect((await fetch(link)).status).toBe(200)
    const refused = await api.send('POST', 'frame', { name: 'x', pages: [{ ...page(1), uuid: 'a/b' }] })
    expect([refused.statusCode, refused.json().property]).toEqual([400, 'pages.0.uuid'])
  })

  it('a malformed UUID -> 400, an unknown frame -> 404, both with the parameter', async () => {
    const body = (name: string) => ({ uuid: name, pages })
    const replies = async (name: string) => [
      await api.get('frame', { uuid: name }),
      await api.send('PUT', 'frame', body(name)),
      await api.send('DELETE', 'frame', { uuid: name }),
    ]
    for (const [name, status] of [
      ['garden', 400],
      [uuid(9), 404],
    ] as const) {
      for (const reply of await replies(name))
        expect(reply.json()).toMatchObject({ status, property: 'uuid' })
    }
    const byUrl = await api.get('frame', { type: 'url', url: `${url}/f/frames/garden` })
    expect(byUrl.json()).toMatchObject({ status: 404, property: 'url' })
  })

  it('is a frame for crawlers, and its buttons work', async () => {
    const { link } = await create()
    const crawled = await createTestCrawler(db).crawlNow(link, 'key 1', free)
    expect(crawled).toMatchObject({
      metadata: {
        frame: {
          version: 'vNext',
          title: 'Page <1>',
          image: 'https://example.com/1.png',
          image_aspect_ratio: '1:1',
          input: { text: 'How much?' },
          buttons: [
            { index: 1, action_type: 'post', title: 'Next "one"', target: `${link}/${uuid(2)}` },
            { index: 2, action_type: 'post_redirect', target: `${link}/${uuid(1)}/2` },
            { index: 3, action_type: 'link', target: 'https://example.com/read' },
          ],
        },
      },
    })
    const { frame } = (crawled as unknown as { metadata: { frame: { buttons: object[] } } }).metadata
    const act = (button: object | undefined) =>
      api.send('POST', 'frame/action', { signer_uuid: signers[0], action: { ...frame, button } })
    expect((await act(frame.buttons[0])).json()).toMatchObject({ title: 'Page <2>' })
    expect((await act(frame.buttons[1])).headers.location).toBe('https://example.com/go')
  })

  it.each([
    ['https://läden.example/日本', 'https://xn--lden-loa.example/%E6%97%A5%E6%9C%AC'],
    ['https://example.com/a\nb', 'https://example.com/ab'],
    ['https://example.com/%41?a=%20', 'https://example.com/%41?a=%20'],
  ])('a button that redirects to %j leads there', async (target, location) => {
    const button = {
      title: 'Go',
      index: 1,
      action_type: 'post_redirect',
      next_page: { redirect_url: target },
    }
    const { link } = await create({ pages: [page(1, { buttons: [button] })] })
    const reply = await fetch(`${link}/${uuid(1)}/1`, { method: 'POST', redirect: 'manual' })
    expect([reply.status, reply.headers.get('location')]).toEqual([302, location])
  })

  it.each([
    [{ pages: [] }, 'pages'],
    [{ pages: [page(1), page(1)] }, 'pages'],
    [{ pages: [page(1, { image: { url: 'javascript:1', aspect_ratio: '1:1' } })] }, 'pages'],
    [{ pages: [page(1, { buttons: [{ ...buttons[0], index: 2 }] })] }, 'pages'],
    [{ name: '' }, 'name'],
  ])('400: %o', async (more, property) => {
    const reply = await api.send('POST', 'frame', { name: 'Garden', pages, ...more })
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })
})
