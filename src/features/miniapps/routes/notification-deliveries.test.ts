import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createNetClient } from '../../../platform/outbound/net-client.js'
import { acceptAll, answerWith, startClient } from '../campaigns/testing/client-simulator.js'
import { fidOf, grantTokens } from '../campaigns/testing/token-rows.js'
import { createMiniApp } from './testing/mini-app.js'

const { db } = await createTestDatabase()
const net = createNetClient({ policy: { allowHttp: true, allowLoopback: true }, userAgent: 'plaza test' })
afterAll(() => net.close())
const parts = { db, net }
const CLIENT = 9152
const allSucceeded = { failure_count: 0, not_attempted_count: 0, retryable_fids: [] }

it('lists a target that is named several times once, with a token and without one', async () => {
  const client = await startClient()
  const { appId, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1] })
  const result = await send({ target_fids: [5, 1, 5, 1, 5] })
  expect(result.notification_deliveries).toMatchObject([
    { fid: 1, status: 'success' },
    { fid: 5, status: 'token_not_found' },
  ])
})

it('lists targets that a filter leaves out, too', async () => {
  const client = await startClient()
  const { appId, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2] })
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [3], state: 'disabled' })
  const result = await send({ target_fids: [1, 2, 3, 4], filters: { exclude_fids: [2, 3, 4] } })
  expect(result).toMatchObject({ success_count: 1, ...allSucceeded })
  expect(result.notification_deliveries).toMatchObject([
    { fid: 1, status: 'success' },
    { fid: 2, status: 'failed' },
    { fid: 3, status: 'token_disabled' },
    { fid: 4, status: 'token_not_found' },
  ])
})

it('a token that is granted while a notification is sent was not sent to', async () => {
  let grant = async () => {}
  const client = await startClient(async (request, response) => {
    await grant()
    acceptAll(request, response)
  })
  const { appId, send } = await createMiniApp(parts)
  const granted = { appId, clientFid: CLIENT, url: client.url() }
  await grantTokens(db, { ...granted, fids: [1] })
  grant = () => grantTokens(db, { ...granted, fids: [2] })
  const result = await send({ target_fids: [1, 2] })
  expect(result).toMatchObject({ success_count: 1, ...allSucceeded })
  expect(result.notification_deliveries).toMatchObject([
    { fid: 1, status: 'success' },
    { fid: 2, status: 'failed' },
  ])
})

it('a reply to a broadcast lists the tokens that were not reached too', async () => {
  const client = await startClient(({ tokens }, response) => {
    const ofUser = (fid: number) => tokens.filter((token) => fidOf(token) === fid)
    answerWith(response, {
      successfulTokens: ofUser(1),
      invalidTokens: ofUser(2),
      rateLimitedTokens: ofUser(3),
    })
  })
  const { appId, send } = await createMiniApp(parts)
  await grantTokens(db, { appId, clientFid: CLIENT, url: client.url(), fids: [1, 2, 3] })
  const result = await send({ target_fids: [] })
  expect(result).toMatchObject({ success_count: 1, failure_count: 2, retryable_fids: [3] })
  expect(
    result.notification_deliveries.map(({ fid, status }: { fid: number; status: string }) => [fid, status]),
  ).toEqual([
    [1, 'success'],
    [2, 'token_not_found'],
    [3, 'failed'],
  ])
})
