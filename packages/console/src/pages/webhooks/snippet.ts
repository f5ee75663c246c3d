import type { Webhook } from './requests'

type Receiver = Pick<Webhook, 'title' | 'target_url' | 'subscription'>

/** A receiver of this webhook in TypeScript, with the package of the server. */
export function packageSnippet(webhook: Receiver): string {
  const { path, cases, headline } = partsOf(webhook)
  return `import { createServer } from 'node:http'
import { verifyWebhook } from '@plaza-server/verify-webhook'

// ${headline}
const secrets = [process.env.PLAZA_WEBHOOK_SECRET!]

createServer((request, response) => {
  if (request.method !== 'POST' || request.url !== ${path}) return response.writeHead(404).end()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const rawBody = Buffer.concat(chunks)
    if (!verifyWebhook(rawBody, request.headers, secrets)) return response.writeHead(401).end()
    const { type, data } = JSON.parse(rawBody.toString())
    switch (type) {
${cases}
    }
    response.writeHead(204).end()
  })
}).listen(3000)
`
}

/** A receiver of this webhook in JavaScript, with nothing but Node. */
export function plainSnippet(webhook: Receiver): string {
  const { path, cases, headline } = partsOf(webhook)
  return `import { createHmac, timingSafeEqual } from 'node:crypto'

// ${headline}
const path = ${path}
const secrets = [process.env.PLAZA_WEBHOOK_SECRET]

/** Whether Plaza has signed the raw body within the last five minutes (Standard Webhooks). */
export function isSigned(rawBody, headers) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const hmac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(rawBody)
    return Buffer.from(\`v1,\${hmac.digest('base64')}\`)
  })
  const given = signatures.split(' ').map((signature) => Buffer.from(signature))
  return given.some((one) => expected.some((each) => one.length === each.length && timingSafeEqual(one, each)))
}

/** Give this to createServer of node:http. */
export function receive(request, response) {
  if (request.method !== 'POST' || request.url !== path) return response.writeHead(404).end()
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const rawBody = Buffer.concat(chunks)
    if (!isSigned(rawBody, request.headers)) return response.writeHead(401).end()
    const { type, data } = JSON.parse(rawBody.toString())
    switch (type) {
${cases}
    }
    response.writeHead(204).end()
  })
}
`
}

/** Returns the parts that differ between webhooks. Names and URLs are texts of others: they stay within a line or a literal. */
function partsOf({ title, target_url, subscription }: Receiver) {
  const url = new URL(target_url)
  const types = Object.keys(subscription?.filters ?? {})
  const cases = (types.length === 0 ? ['cast.created'] : types).map(
    (type) => `      case '${type}':\n        console.log(type, data)\n        break`,
  )
  return {
    headline: `Receives the events of the webhook ${JSON.stringify(title).replaceAll('\u2028', ' ').replaceAll('\u2029', ' ')}.`,
    path: JSON.stringify(url.pathname + url.search),
    cases: cases.join('\n'),
  }
}
