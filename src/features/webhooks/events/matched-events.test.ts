import { expect, it } from 'vitest'
import type { Queryable } from '../../../platform/db/connection.js'
import type { Matcher } from '../matching/matcher.js'
import { matchEvents } from './matched-events.js'
import type { WebhookEvent } from './webhook-event.js'

it('matching of many events lets other work have its turn', async () => {
  const events = ['1', '2', '3'].map(
    (id): WebhookEvent => ({ id, kind: 'user.created', happenedAt: null, subject: { type: 'user', fid: 1 } }),
  )
  const order: string[] = []
  const slowMatcher = {
    hasSubscribers: () => true,
    match() {
      order.push('event')
      const startMs = performance.now()
      while (performance.now() - startMs < 3);
      return ['a webhook']
    },
  } as unknown as Matcher
  setImmediate(() => order.push('other work'))
  const matched = await matchEvents({} as Queryable, slowMatcher, events)
  expect(matched.map(({ event }) => event.id)).toEqual(['1', '2', '3'])
  expect(order.indexOf('other work')).toBeGreaterThan(0)
  expect(order.at(-1)).toBe('event')
})
