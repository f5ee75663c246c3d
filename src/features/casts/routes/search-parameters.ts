import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import { fidParameter, textParameter } from '../../../api/parameters.js'
import type { CastSearch } from '../../../graph/query/cast-search.js'
import { searchTerms } from '../../../graph/query/cast-search-terms.js'

/** What is looked for. */
export const searchParameters = {
  q: textParameter({
    description: 'The words, with the operators that the description of the operation tells.',
    maxLength: 500,
  }),
  author_fid: Type.Optional(fidParameter({ description: 'Only casts by this user.' })),
  channel_id: Type.Optional(
    textParameter({ description: 'Only casts in this channel, in its threads too.' }),
  ),
}

/** The operators of `q`, for descriptions. */
export const searchNote = [
  '`a b` or `a + b` finds casts with both words, `a | b` with either, `"a b"` with the phrase, `-a` without the word,',
  '`gard*` with a word that begins so; parentheses group. `from:name` finds casts of a user, of several of any of',
  'them, `-from:name` of others; `after:2026-10-01` and `before:2026-11-01T12:00:00Z` of a time, in UTC unless the',
  'zone is told. Case does not count; signs that make no sense are left out. An emoji is a',
  'word, and texts of scripts without spaces are found by any part. Likeness (`word~1`, `"some words"~2`) is not',
  'supported.',
].join(' ')

/** A slop or a fuzziness directly behind a word or a phrase. */
const similarityPattern = /["\p{L}\p{N}]~\d/u

/** Reads them; a 400 for what is not supported. */
export function castSearch(query: {
  q: string
  author_fid?: number
  channel_id?: string
  parent_url?: string
}): CastSearch {
  if (similarityPattern.test(query.q))
    throw invalidField('q', 'asks for likeness with ~, which is not supported')
  return {
    terms: searchTerms(query.q),
    authorFid: query.author_fid,
    parentUrl: query.parent_url,
    channelId: query.channel_id,
  }
}

/** Whether it says anything to look for; signs alone do not. */
export function isEmpty({ terms }: CastSearch): boolean {
  const { tsquery, usernames, notUsernames, afterMs, beforeMs } = terms
  const isForSomebody = usernames.length > 0 || notUsernames.length > 0
  return tsquery === null && !isForSomebody && afterMs === null && beforeMs === null
}
