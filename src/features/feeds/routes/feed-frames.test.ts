import { expect, it } from 'vitest'
import { testNow } from '../../../../test/network.js'
import { createCastNetwork, prefixedHash, userOf } from '../../casts/routes/testing/cast-network.js'

const { db, merge, pages, ask } = await createCastNetwork()

it('lists casts that embed a page with a frame, newest first, on every page once', async () => {
  const casts = Array.from({ length: 9 }, (_, index) =>
    userOf((index % 3) + 1).cast(`cast ${index}`, testNow - 1_000 + index, {
      embeds: [
        { url: `https://example.com/${index % 2 === 0 ? 'app' : 'page'}` },
        { url: 'https://example.com/v1' },
      ].slice(0, index === 8 ? 2 : 1),
    }),
  )
  await merge(...casts)
  const frame = { frames_url: 'https://example.com/', image: 'https://example.com/a.png' }
  for (const [path, metadata] of [
    ['app', { frame: { version: 'next', ...frame } }],
    ['page', { html: {} }],
    ['v1', { frame: { version: 'vNext', ...frame } }],
  ] as const) {
    await db`
      update embeds.urls
      set state = 'done', metadata = ${JSON.stringify({ _status: 'RESOLVED', ...metadata })}::text::jsonb
      where url = ${`https://example.com/${path}`}`
  }
  const withFrames = casts.filter((_, index) => index % 2 === 0).map(prefixedHash)
  expect((await pages('feed/frames', { limit: 2 })).flat()).toEqual(withFrames.toReversed())

  await merge(userOf(5).link(1, testNow - 10, { type: 'block' }))
  const hidden = new Set([0, 3, 6].map((index) => prefixedHash(casts[index]!)))
  const { casts: visible } = await ask('feed/frames', { viewer_fid: 5 })
  expect(visible.map(({ hash }) => hash)).toEqual(withFrames.filter((hash) => !hidden.has(hash)).toReversed())
})
