import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { choiceParameter } from '../../../api/parameters.js'
import { searchCasts } from '../../../graph/query/cast-search.js'
import { CastsSearchResponse } from '../../../graph/view/schema/cast.js'
import { feedPages } from '../../feeds/routes/feed-page.js'
import { feedPaging, parentUrl } from '../../feeds/routes/feed-parameters.js'
import { defineOperation } from '../../operation.js'
import { castSearch, isEmpty, searchNote, searchParameters } from './search-parameters.js'

const pages = {
  desc_chron: feedPages('cast/search: desc_chron', false),
  chron: feedPages('cast/search: chron', false),
}

/** `GET cast/search` */
export const castSearchOperation = defineOperation({
  method: 'GET',
  path: 'cast/search',
  tag: 'Cast',
  summary: 'Casts with some words',
  description: searchNote,
  query: Type.Object({
    ...searchParameters,
    mode: choiceParameter(['literal', 'semantic', 'hybrid'], {
      default: 'literal',
      description: 'Only `literal` is supported: words are found, not meanings. The others are refused.',
    }),
    sort_type: choiceParameter(['desc_chron', 'chron'], {
      default: 'desc_chron',
      description: 'Newest or oldest first.',
    }),
    parent_url: Type.Optional(parentUrl('Only casts directly below this URL.')),
    ...feedPaging,
  }),
  reply: CastsSearchResponse,

  async handle({ db, hydrator }, query, caller) {
    const { mode, sort_type: order } = query
    if (mode !== 'literal') throw invalidField('mode', `${mode} is not supported: only literal is`)
    const search = castSearch(query)
    const page = await pages[order]({ db, hydrator }, caller, query, async (pageRequest) =>
      isEmpty(search) ? [] : searchCasts(db, search, { ...pageRequest, order }),
    )
    return `{"result":${page}}`
  },
})
