import { Type } from '@sinclair/typebox'
import { CastEmbedCrawlResponse } from '../../../graph/view/schema/url-metadata.js'
import { PlazaError } from '../../../platform/errors.js'
import { parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'

/** `GET cast/embed/crawl` */
export const castEmbedCrawl = defineOperation({
  method: 'GET',
  path: 'cast/embed/crawl',
  tag: 'Casts',
  summary: 'Fetch embedded URL metadata',
  description:
    'Fetches the URL now and returns its metadata; casts that embed the URL show it from then on. ' +
    'Addresses outside the public internet and URLs without content are errors.',
  query: Type.Object({
    url: { ...parentUrl('http or https URL.'), examples: ['https://example.com/garden'] },
  }),
  reply: CastEmbedCrawlResponse,

  async handle({ crawler }, { url }) {
    const result = await crawler.crawlNow(url)
    if ('code' in result) throw new PlazaError(result.code, result.message, { property: 'url' })
    return { metadata: result.metadata }
  },
})
