import { describe, expect, it } from 'vitest'
import { createApp } from '../../../apps/apps.js'
import { deleteExpiredHostData } from '../../hosts/received-notifications.js'
import { createHostScene, HOST_FID, type HostTestUser } from './testing/host-scene.js'

const { db, clock, api, newUser, bySigner, eventToSign, wait } = await createHostScene()

/** Tells something by tokens, as mini apps do. */
async function sendNotification(tokens: readonly string[], more: object = {}) {
  const reply = await api.app.inject({
    method: 'POST',
    url: '/f/host/notifications',
    payload: {
      notificationId: 'spring',
      title: 'Spring is here',
      body: 'Come and see the tulips',
      targetUrl: 'https://garden.example.org/tulips',
      tokens,
      ...more,
    },
  })
  return [reply.statusCode, reply.json().result ?? reply.json().code]
}

const outcome = (part: object) => [
  200,
  { successfulTokens: [], invalidTokens: [], rateLimitedTokens: [], failedTokens: [], ...part },
]

describe('a mini app of this server', () => {
  const domain = 'garden.example.org'
  const made = createApp(db, { name: 'garden', miniAppDomain: domain })

  async function tokenFor(user: HostTestUser): Promise<string> {
    expect((await bySigner(user, domain, 'notifications_enabled')).statusCode).toBe(200)
    const [row] = await db<{ token: string }[]>`
      select token from miniapps.tokens
      where app_id = ${(await made).id} and fid = ${user.fid} and client_fid = ${HOST_FID} and state = 'enabled'`
    return row!.token
  }

  const listOf = async (user: HostTestUser, query = {}) =>
    (await api.get('app_host/user/notifications', { fid: user.fid, ...query })).json()

  it('gets the token at once, and its notifications reach the app', async () => {
    const [user, other] = [await newUser(), await newUser()]
    const [token, othersToken] = [await tokenFor(user), await tokenFor(other)]
    expect(await sendNotification([token, othersToken, 'unknown'])).toEqual(
      outcome({ successfulTokens: expect.arrayContaining([token, othersToken]), invalidTokens: ['unknown'] }),
    )
    wait(31)
    await sendNotification([token], { notificationId: 'summer', title: 'Summer' })
    const first = await listOf(user, { limit: 1 })
    expect(first.notifications).toEqual([
      {
        object: 'mini_app_notification',
        domain,
        notification_id: 'summer',
        title: 'Summer',
        body: 'Come and see the tulips',
        target_url: 'https://garden.example.org/tulips',
        created_at: new Date(clock()).toISOString(),
      },
    ])
    const second = await listOf(user, { limit: 1, cursor: first.next.cursor })
    expect(second).toMatchObject({ notifications: [{ notification_id: 'spring' }], next: { cursor: null } })
    expect((await listOf(other)).notifications).toHaveLength(1)
  })

  it('delivers once, within limits, and only URLs of its domain', async () => {
    const user = await newUser()
    const token = await tokenFor(user)
    const successful = outcome({ successfulTokens: [token] })
    expect(await sendNotification([token])).toEqual(successful)
    expect(await sendNotification([token])).toEqual(successful)
    const limited = outcome({ rateLimitedTokens: [token] })
    expect(await sendNotification([token], { notificationId: 'again' })).toEqual(limited)
    wait(31)
    expect(await sendNotification([token], { notificationId: 'again' })).toEqual(successful)
    for (const targetUrl of [
      'https://weeds.example.org/',
      'http://garden.example.org/',
      'javascript:1',
      'x',
    ]) {
      expect(await sendNotification([token], { notificationId: 'bait', targetUrl })).toEqual(
        outcome({ failedTokens: [{ token, reason: 'target_url_mismatch' }] }),
      )
    }
    expect((await listOf(user)).notifications).toHaveLength(2)
    wait(86_400)
    expect(await sendNotification([token], { title: 'A day later' })).toEqual(successful)
    expect((await listOf(user)).notifications).toMatchObject([
      { notification_id: 'spring', title: 'A day later' },
      { notification_id: 'again' },
    ])
    wait(31)
    await db`
      insert into miniapps.host_notifications (
        app_id, fid, domain, token, notification_id, title, body, target_url, created_at
      )
      select app_id, fid, domain, token, n, '', '', '', to_timestamp(${clock() / 1000}) - interval '1 hour'
      from miniapps.host_tokens, generate_series(1, 99) as n
      where token = ${token}`
    wait(31)
    expect(await sendNotification([token], { notificationId: 'too many' })).toEqual(limited)
  })

  it('a clock that was set back by hours: what was received later limits nothing', async () => {
    const user = await newUser()
    const token = await tokenFor(user)
    const successful = outcome({ successfulTokens: [token] })
    expect(await sendNotification([token])).toEqual(successful)
    await db`
      insert into miniapps.host_notifications (
        app_id, fid, domain, token, notification_id, title, body, target_url, created_at
      )
      select app_id, fid, domain, token, n, '', '', '', to_timestamp(${clock() / 1000}) + interval '3 hours'
      from miniapps.host_tokens, generate_series(1, 100) as n
      where token = ${token}`
    wait(31)
    expect(await sendNotification([token], { notificationId: 'set back' })).toEqual(successful)
    expect(await sendNotification([token], { notificationId: 'soon' })).toEqual(
      outcome({ rateLimitedTokens: [token] }),
    )
  })

  it('an ended or unknown token -> refused, one that is not delivered yet -> later', async () => {
    const user = await newUser()
    const token = await tokenFor(user)
    const next = await tokenFor(user)
    const offered = (await eventToSign(user, domain, 'notifications_enabled')).notificationDetails!.token
    expect(await sendNotification([token, offered])).toEqual(
      outcome({ invalidTokens: [token], rateLimitedTokens: [offered] }),
    )
    await bySigner(user, domain, 'notifications_disabled')
    expect(await sendNotification([next])).toEqual(outcome({ invalidTokens: [next] }))
    expect(await listOf(user)).toEqual({ notifications: [], next: { cursor: null } })
  })

  it('notifications expire after 30 days, ended tokens after a day', async () => {
    const user = await newUser()
    const [disabledToken, enabledToken] = [await tokenFor(user), await tokenFor(user)]
    await eventToSign(user, domain, 'notifications_enabled')
    await sendNotification([enabledToken])
    const countRemaining = async () => [
      (await db`select from miniapps.host_tokens where fid = ${user.fid}`).length,
      (await listOf(user)).notifications.length,
    ]
    const age = async (days: number) => {
      const timestamp = new Date(Date.now() - days * 86_400_000)
      await db`update miniapps.host_notifications set created_at = ${timestamp} where fid = ${user.fid}`
      await db`update miniapps.host_tokens set updated_at = ${timestamp} where fid = ${user.fid}`
      await deleteExpiredHostData(db)
    }
    expect([await countRemaining(), await sendNotification([disabledToken])]).toEqual([
      [3, 1],
      outcome({ invalidTokens: [disabledToken] }),
    ])
    await age(0.9)
    expect(await countRemaining()).toEqual([3, 1])
    await age(1.1)
    expect(await countRemaining()).toEqual([2, 1])
    await age(30.5)
    expect(await countRemaining()).toEqual([2, 0])
    await age(31.5)
    expect([
      await countRemaining(),
      await sendNotification([enabledToken], { notificationId: 'again' }),
    ]).toEqual([[1, 0], outcome({ successfulTokens: [enabledToken] })])
  })

  it('enforces the bounds of the protocol', async () => {
    for (const more of [
      { title: 'x'.repeat(33) },
      { body: 'x'.repeat(129) },
      { notificationId: 'x'.repeat(129) },
      { targetUrl: 'x'.repeat(1_025) },
      { tokens: [] },
      { tokens: Array.from({ length: 101 }, (_, number) => `${number}`) },
      { title: undefined },
    ]) {
      expect([more, ...(await sendNotification(['x'], more))]).toEqual([more, 400, 'InvalidField'])
    }
  })
})
