import { expect, it } from 'vitest'
import { dehydrateCast, presentCast } from './cast.js'
import { castRecord, userRecord } from './testing/records.js'
import { presentUser } from './user.js'
import { userDehydrated } from './user-dehydrated.js'

const names = { users: new Map(), channels: new Map() }
const app = userRecord(9, { username: 'app' })

function fullCast(author: ReturnType<typeof userRecord>, appFid: number | null) {
  const cast = castRecord('11', author.fid, { appFid })
  const { body } = presentCast(cast, { casts: new Map(), users: new Map([[9, app]]), names })
  const user = presentUser(author, { names, locationOf: () => null, now: 0 })
  return { ...body, author: user, mentioned_profiles: [], channel: null }
}

it('dehydrateCast: author and app are dehydrated', () => {
  const alice = userRecord(1, {
    username: 'alice',
    displayName: 'Alice',
    pfpUrl: 'https://plaza.test/a.png',
    score: 0.5,
  })
  expect(dehydrateCast(fullCast(alice, 9))).toEqual({
    object: 'cast_dehydrated',
    hash: `0x${'11'.repeat(20)}`,
    author: userDehydrated(alice),
    app: userDehydrated(app),
  })
})

it('unknown values are null', () => {
  const nobody = userRecord(1)
  const { author, app: noApp } = dehydrateCast(fullCast(nobody, null))
  expect(author).toEqual(userDehydrated(nobody))
  expect(noApp).toBeNull()
})
