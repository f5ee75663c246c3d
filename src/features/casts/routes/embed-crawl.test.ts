import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { createWorkLimits } from '../../../platform/limits/work-limits.js'
import { createTestCrawler, serveSite } from '../../embeds/testing/crawl-site.js'

const { db } = await createTestDatabase()

test('200: fetches a URL, shows and stores its metadata', async () => {
  const site = await serveSite((_, res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end('<title>Tulips</title>')
  })
  const { get } = await createTestApi({ db, crawler: createTestCrawler(db) })
  const url = site.url('flowers.social', '/tulips')
  const response = await get('cast/embed/crawl', { url })
  expect(response.json()).toMatchObject({
    metadata: {
      _status: 'RESOLVED',
      content_type: expect.stringContaining('text/html'),
      html: { ogTitle: 'Tulips' },
    },
  })
  expect(await db`select state from embeds.urls where url = ${url}`).toEqual([{ state: 'done' }])
})

test('headers of the budget: on replies, and on the refusal of a caller that has used it up', async () => {
  const site = await serveSite((_, res) => res.writeHead(404).end())
  const workLimits = createWorkLimits({ clock: () => 0, budgetMs: 60, refusalMs: 0 })
  const { get } = await createTestApi({ db, crawler: createTestCrawler(db), workLimits })
  const crawl = async (url: string) => {
    const { statusCode, headers } = await get('cast/embed/crawl', { url })
    return [statusCode, headers['ratelimit-limit'], headers['ratelimit-remaining']]
  }
  const url = site.url('flowers.social', '/roses')
  expect(await crawl('cat.png')).toEqual([400, undefined, undefined])
  expect(await crawl(url)).toEqual([400, '60', '30'])
  expect(await crawl(url)).toEqual([400, '60', '0'])
  expect(await crawl(url)).toEqual([429, '60', '0'])
  expect(site.visits).toHaveLength(2)
})

test.each(['cat.png', 'ftp://flowers.social/', 'http://169.254.169.254/latest/'])(
  '400: %s is not fetched',
  async (url) => {
    const { get } = await createTestApi({ db, crawler: createTestCrawler(db) })
    expect((await get('cast/embed/crawl', { url })).json()).toMatchObject({ status: 400, property: 'url' })
  },
)

test('400: without a URL', async () => {
  const { get } = await createTestApi({ db })
  expect((await get('cast/embed/crawl', {})).json()).toMatchObject({ status: 400, property: 'url' })
})
