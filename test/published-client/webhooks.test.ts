import { isApiErrorResponse } from '@neynar/nodejs-sdk'
import { expect, it } from 'vitest'
import { serveApi } from './served-api.js'

const { client } = await serveApi()
const url = 'https://hooks.plaza.social/in'
const subscription = { 'cast.created': { author_fids: [3], text: '(?i)\\$degen', minimum_author_score: 0.5 } }

it('makes, reads, replaces, switches and takes away webhooks', async () => {
  const { webhook, success } = await client.publishWebhook({ name: 'mine', url, subscription })
  expect(success).toBe(true)
  expect(webhook).toMatchObject({
    title: 'mine',
    target_url: url,
    active: true,
    subscription: { filters: subscription },
  })
  const webhookId = webhook?.webhook_id ?? ''
  expect((await client.lookupWebhook({ webhookId })).webhook).toEqual(webhook)
  expect((await client.fetchWebhooks()).webhooks).toEqual([webhook])

  const changed = {
    webhookId,
    name: 'new',
    url: `${url}/2`,
    subscription: { 'follow.created': { target_fids: [3] } },
  }
  expect((await client.updateWebhook(changed)).webhook).toMatchObject({
    title: 'new',
    target_url: `${url}/2`,
  })
  expect((await client.updateWebhookActiveStatus({ webhookId, active: 'false' })).webhook?.active).toBe(false)
  expect((await client.deleteWebhook({ webhookId })).webhook?.deleted_at).toEqual(expect.any(String))
  expect((await client.fetchWebhooks()).webhooks).toEqual([])
})

it('fails with the body and the status that the client knows', async () => {
  const refused = await client
    .publishWebhook({ name: 'wrong', url, subscription: { 'cast.created': { text: '(' } } })
    .catch((error: unknown) => error)
  expect(isApiErrorResponse(refused) && refused.response).toMatchObject({
    status: 400,
    data: { code: 'InvalidField', property: 'subscription.cast.created.text' },
  })
  const missing = client.lookupWebhook({ webhookId: '00000000-0000-4000-8000-000000000000' })
  await expect(missing).rejects.toMatchObject({ response: { status: 404 } })
})
