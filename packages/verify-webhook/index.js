import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/** Whether Plaza signed a delivery recently with one of these secrets. `index.d.ts` describes it. */
export function verifyWebhook(rawBody, headers, secrets, options = {}) {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = options
  const id = headerOf(headers, 'webhook-id')
  const sentAt = headerOf(headers, 'webhook-timestamp')
  const standard = headerOf(headers, 'webhook-signature')
  const hex = headerOf(headers, 'x-plaza-signature')
  if (id === '' || !/^\d{1,12}$/.test(sentAt) || standard === '' || hex === '') return false
  // So that NaN refuses.
  if (!(Math.abs(now() / 1000 - Number(sentAt)) <= toleranceSeconds)) return false
  const given = (typeof secrets === 'string' ? [secrets] : secrets).filter((secret) => secret)
  const start = `${id}.${Number(sentAt)}.`
  const isStandard = anyEqual(
    standard.split(' '),
    given.map((secret) => standardSignature(secret, start, rawBody)),
  )
  const isHex = anyEqual(
    hex.split(',').map((each) => each.trim()),
    given.map((secret) => createHmac('sha512', secret).update(rawBody).digest('hex')),
  )
  return isStandard && isHex
}

/** Signature of Standard Webhooks: the key is what follows `whsec_`, in base64. */
function standardSignature(secret, start, rawBody) {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(start).update(rawBody).digest('base64')}`
}

function headerOf(headers, name) {
  if (typeof headers.get === 'function') return headers.get(name) ?? ''
  const received = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
  return typeof received === 'string' ? received : ''
}

/** Compares every pair completely. */
function anyEqual(received, expected) {
  let found = false
  for (const each of received) {
    for (const signature of expected) found = timingSafeEquals(each, signature) || found
  }
  return found
}

function timingSafeEquals(a, b) {
  const [bytesA, bytesB] = [Buffer.from(a), Buffer.from(b)]
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB)
}
