import { Type } from '@sinclair/typebox'
import { readQuotes } from '../../../graph/query/feeds-by-embed.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { PlazaError } from '../../../platform/errors.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import {
  castIdentifier,
  castIdentifierNote,
  castIdentifierParameters,
  unknownCast,
} from './cast-identifier.js'

const pages = feedPages('cast/quotes', false)

/** `GET cast/quotes` */
export const castQuotes = defineOperation({
  method: 'GET',
  path: 'cast/quotes',
  tag: 'Casts',
  summary: 'Fetch casts that quote a cast',
  description: `Newest first. ${castIdentifierNote}`,
  query: Type.Object({ ...castIdentifierParameters, ...feedPaging }),
  reply: FeedResponse,
  notFound: unknownCast,

  async handle({ db, hydrator }, { identifier, type, ...page }, caller) {
    const cast = castIdentifier({ identifier, type })
    return pages({ db, hydrator }, caller, page, async (pageRequest) => {
      const quotes = await readQuotes(db, cast, pageRequest)
      if (!quotes) throw new PlazaError('not_found', unknownCast, { property: 'identifier' })
      return quotes
    })
  },
})
