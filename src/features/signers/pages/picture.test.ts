import { afterAll, expect, it } from 'vitest'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { serveHttp } from '../../../platform/outbound/testing/loopback-server.js'
import { fetchPicture } from './picture.js'

const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())

const starts = {
  'image/png': '89504e470d0a1a0a',
  'image/jpeg': 'ffd8ffe0',
  'image/gif': '474946383961',
  'image/webp': '524946460000000057454250',
}

it.each(Object.entries(starts))(
  'fetchPicture: returns %s whatever its declared type',
  async (type, start) => {
    const bytes = Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(100)])
    const { origin } = await serveHttp((_, reply) => reply.setHeader('content-type', 'text/html').end(bytes))
    const picture = await fetchPicture(net, origin)
    expect([picture?.type, Buffer.from(picture!.bytes)]).toEqual([type, bytes])
  },
)

it.each<[string, number, Buffer]>([
  ['a page', 200, Buffer.from('<html>')],
  ['a drawing that may hold scripts', 200, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['what is not there', 404, Buffer.from(starts['image/png'], 'hex')],
  ['what is too large', 200, Buffer.concat([Buffer.from(starts['image/png'], 'hex'), Buffer.alloc(2 ** 21)])],
  ['nothing', 200, Buffer.alloc(0)],
])('fetchPicture: refuses %s', async (_what, status, bytes) => {
  const { origin } = await serveHttp((_, reply) => reply.writeHead(status).end(bytes))
  expect(await fetchPicture(net, origin)).toBeNull()
})

it('fetchPicture: refuses targets that the server must not reach', async () => {
  const { origin } = await serveHttp((_, reply) => reply.end(Buffer.from(starts['image/png'], 'hex')))
  const strict = createNetClient({
    policy: { allowHttp: true, allowLoopback: false },
    userAgent: 'plaza test',
  })
  expect(await fetchPicture(strict, origin)).toBeNull()
  await strict.close()
})
