import { Type } from '@sinclair/typebox'
import { CastEmbedCrawlResponse } from '../../../graph/view/schema/url-metadata.js'
import { PlazaError } from '../../../platform/errors.js'
import { parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'

/** `GET cast/embed/crawl` */
export const castEmbedCrawl = defineOperation({
  method: 'GET',
  path: 'cast/embed/crawl',
  tag: 'Cast',
  summary: 'What is behind a URL, fetched now',
  description:
    'Casts that embed the URL show it from then on. Addresses that are not on the public internet are refused, and so ' +
    'is a URL at which nothing is found.',
  query: Type.Object({ url: parentUrl('The URL, with http or https.') }),
  reply: CastEmbedCrawlResponse,

  async handle({ crawler }, { url }) {
    const result = await crawler.crawlNow(url)
    if ('code' in result) throw new PlazaError(result.code, result.message, { property: 'url' })
    return { metadata: result.metadata }
  },
})
