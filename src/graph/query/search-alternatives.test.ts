import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { refreshSearchLists } from '../refresh/search-prefix-lists.js'
import { loadSearchTerms } from './search-alternatives.js'

const { db } = await createTestDatabase()

const tsqueryOf = async (q: string) => (await loadSearchTerms(db, q)).tsquery

describe('word~n', () => {
  it.each([
    // Replaced, left out, inserted, swapped: in the middle of a short word all leave few trigrams in common, or none.
    ['hot~1', 'hat'],
    ['rad~1', 'read'],
    ['bloat~1', 'boat'],
    ['form~1', 'from'],
    ['teh~1', 'the'],
    ['plums~2', 'clubs'],
  ])('%s finds %s, however many words are more similar by trigrams', async (q, expected) => {
    const [letters = ''] = q.split('~')
    await db`truncate search.vocabulary`
    await db`insert into search.vocabulary select ${letters} || 'xyz' || n, 9 from generate_series(1, 400) n`
    await db`insert into search.vocabulary values (${expected}, 1), ('unlike', 5)`
    expect(await tsqueryOf(q)).toBe(`(('${letters}' | '${expected}'))`)
  })

  it('letters are made lowercase as the database has indexed them', async () => {
    await db`truncate search.vocabulary`
    await db`insert into search.vocabulary 
      select word, ndoc from ts_stat($$select to_tsvector('simple', 'ΜΟΔΟΣ ΟΔΟΣ')$$)`
    // JavaScript has a final sigma there, and the database of the tests has none: so it was two letters away.
    const [{ word }] = await db<[{ word: string }]>`select word from search.vocabulary where length(word) = 5`
    expect(await tsqueryOf('ΟΔΟΣ~1')).toBe(`(('ΟΔΟΣ' | 'ΟΔΟς' | '${word}'))`)
  })

  it('a longer word matches its spellings, too', async () => {
    await db`truncate search.vocabulary`
    await db`insert into search.vocabulary values ('garden', 2), ('gardens', 3), ('wardens', 1)`
    expect(await tsqueryOf('gardens~1')).toBe("(('gardens' | 'garden' | 'wardens'))")
  })
})

it('a prefix of more names than are compared matches mentions of its best known users', async () => {
  await db`
    insert into social.users (fid, custody_address, registered_at, username)
    select n, decode(repeat('00', 20), 'hex'), 0, 'zeb-' || n from generate_series(1, 1200) n`
  await db`insert into social.user_counts select n, n from generate_series(1, 1200) n`
  await refreshSearchLists(db, 0)
  const tsquery = await tsqueryOf('Zeb*')
  expect(tsquery?.match(/zqm\d+x/g)).toEqual(Array.from({ length: 32 }, (_, n) => `zqm${1169 + n}x`))
  expect(await tsqueryOf('zeb-1200')).toBe("(('zeb-1200' | zqm1200x))")
})
