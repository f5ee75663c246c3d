import { expect, it } from 'vitest'
import { hasIcu } from '../../../../test/database.js'
import { refreshSearchLists } from '../../../graph/refresh/search-prefix-lists.js'
import { openPeople } from './testing/user-network.js'

/** ICU knows the neighbors of a letter, as JavaScript does, and libc and the built-in locales of PostgreSQL do not. */
const isIcuThere = await hasIcu()
const { db, get } = await openPeople(isIcuThere ? { icuLocale: 'und' } : {})

async function fidsOf(q: string): Promise<number[]> {
  const reply = await get('user/search', { q })
  return reply.json().result.users.map(({ fid }: { fid: number }) => fid)
}

async function channelsOf(q: string): Promise<string[]> {
  const reply = await get('channel/search', { q })
  return reply.json().channels.map(({ id }: { id: string }) => id)
}

it.skipIf(!isIcuThere)('a database of ICU -> users are found in any case', async () => {
  await db`
    insert into social.users (fid, custody_address, registered_at, username, display_name)
    select fid, decode(repeat('00', 20), 'hex'), 0, name, display_name
    from (values (1, 'greek', 'ΟΔΟΣ'), (2, 'turk', 'İZMİR'), (3, 'zed', 'Étienne')) as n (fid, name, display_name)`
  expect(await fidsOf('ΟΔΟΣ')).toEqual([1])
  expect(await fidsOf('Οδος')).toEqual([1])
  expect(await fidsOf('İZMİR')).toEqual([2])
  expect(await fidsOf('ÉTI')).toEqual([3])
  expect(await fidsOf('TURK')).toEqual([2])
})

it.skipIf(!isIcuThere)(
  'a database of ICU -> the list of a frequent prefix is found in any case',
  async () => {
    await db`
    insert into social.users (fid, custody_address, registered_at, display_name)
    select n, decode(repeat('00', 20), 'hex'), 0, 'ΛΟΓΟΣ ' || n from generate_series(1001, 1150) n`
    await db`insert into social.user_counts (fid, follower_count) values (1140, 9)`
    await refreshSearchLists(db, 0)
    expect((await fidsOf('ΛΟΓΟΣ 1'))[0]).toBe(1140)
  },
)

it.skipIf(!isIcuThere)('a database of ICU -> channels are found in any case', async () => {
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    select id, '', 'chain://' || id, name, 1, 0
    from (values ('streets', 'ΟΔΟΣ 100%'), ('squares', 'Η ΟΔΟΣ')) as named (id, name)`
  expect(await channelsOf('ΟΔΟΣ')).toEqual(['streets', 'squares'])
  expect(await channelsOf('οδος 100%')).toEqual(['streets'])
  expect(await channelsOf('STREET')).toEqual(['streets'])
  expect(await channelsOf('S_R')).toEqual([])
})
