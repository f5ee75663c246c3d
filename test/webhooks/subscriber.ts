import type { TestServer } from '../running-server.js'

/** What servers of these tests are started with. */
export const webhookEnv = {
  ALLOW_PRIVATE_TARGETS: 'loopback',
  PLAZA_SECRET_KEY: 'k'.repeat(40),
  CRAWL_EMBEDS: 'false',
}

const apiKey = 'a-key-for-the-test'

/** Asks an operation that writes. */
export async function send(server: TestServer, method: string, path: string, body: object) {
  const reply = await fetch(`${server.urls.main}/v2/farcaster/${path}`, {
    method,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await reply.json()) as ReturnType<typeof JSON.parse>
}

/** Makes a webhook. */
export async function subscribe(server: TestServer, url: string, subscription: object) {
  const { webhook, message } = await send(server, 'POST', 'webhook', { name: 'test', url, subscription })
  if (!webhook) throw new Error(message)
  return webhook
}
