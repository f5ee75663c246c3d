import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { WebhookSubscriptionFilters } from '../schema/webhook-filters.js'
import type { EventFacts } from './filter-index.js'
import { Matcher, type WebhookSubscription } from './matcher.js'
import { referenceMatch } from './testing/reference-match.js'

/** Small domains, so that filters and events often meet. */
const fid = fc.integer({ min: 0, max: 9 })
const hash = fc.integer({ min: 0, max: 5 }).map((digit) => `0x${String(digit).repeat(40)}`)
/** Hashes in any spelling: with or without 0x, in either case. */
const spelledHash = fc
  .tuple(fc.constantFrom('a', 'B', '1', '2'), fc.boolean())
  .map(([digit, prefixed]) => `${prefixed ? '0x' : ''}${digit.repeat(40)}`)
const anyHash = fc.oneof(
  hash,
  fc.constantFrom('a', 'b').map((digit) => `0x${digit.repeat(40)}`),
)
const url = fc.constantFrom(
  'https://a.example/',
  'https://b.example/x',
  'chain://eip155:1/erc721:0x1',
  'https://A.example/',
)
const score = fc.constantFrom(0, 0.25, 0.5, 0.75, 1)
const word = fc.constantFrom(
  'degen',
  'DEGEN',
  'base',
  'hello',
  'ſpan',
  'span',
  'aK',
  'ak',
  'é',
  '',
  ' ',
  '@alice',
  '$eth',
  '12',
  'a\nb',
)
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
const pattern = fc.constantFrom(
  'degen',
  '(?i)degen',
  '(?i)\\$(eth|btc)',
  '\\b(hello|base)\\b',
  '(?i)span',
  '(?i)AK',
  'h.llo',
  '^hello',
  'base$',
  '(?m)^b$',
  '(?s)a.b',
  '[[:digit:]]+',
  '(?:de|ba)(?:gen|se)',
  '(hel)?lo',
  'de(g+)en',
  'x|',
  'a{0}b',
  '(?i:HELLO) base',
  '\\x41',
  '\\Qdegen\\E',
  'é',
  '@alice',
  '[^a-z ]',
  'a.example',
  '(?i)b\\.EXAMPLE/x',
  'erc721',
  '(ab|)c*degen',
  '{degen}',
  'degenx(?i)?',
)
const list = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { maxLength: 3 })
const members = <Members extends object>(
  arbitraries: { [Name in keyof Members]: fc.Arbitrary<Members[Name]> },
) => fc.record(arbitraries, { requiredKeys: [] })

const castFilter = fc.oneof(
  // Few members, as in real filters, but also any number.
  fc.constant({}),
  members({ author_fids: list(fid), text: pattern, minimum_author_score: score }),
  members({ exclude_author_fids: list(fid), text: pattern, embeds: pattern }),
  members({
    author_fids: list(fid),
    exclude_author_fids: list(fid),
    mentioned_fids: list(fid),
    parent_author_fids: list(fid),
    embedded_cast_author_fids: list(fid),
    embedded_cast_hashes: list(fc.oneof(hash, spelledHash)),
    parent_hashes: list(fc.oneof(hash, spelledHash)),
    parent_urls: list(url),
    root_parent_urls: list(url),
    embeds: pattern,
    text: pattern,
    minimum_author_score: score,
  }),
)
const followFilter = members({ fids: list(fid), target_fids: list(fid) })
const reactionFilter = members({
  fids: list(fid),
  target_fids: list(fid),
  target_cast_hashes: list(fc.oneof(hash, spelledHash)),
})
const tradeFilter = members({
  fids: list(fid),
  minimum_token_amount_usdc: fc.constantFrom(0, 1, 100),
  minimum_trader_service_score: score,
})
const filters: fc.Arbitrary<WebhookSubscriptionFilters> = members({
  'cast.created': castFilter,
  'cast.deleted': castFilter,
  'follow.created': followFilter,
  'follow.deleted': followFilter,
  'reaction.created': reactionFilter,
  'reaction.deleted': reactionFilter,
  'trade.created': tradeFilter,
  'user.created': fc.constant({}),
  'user.updated': members({ fids: list(fid) }),
}) as fc.Arbitrary<WebhookSubscriptionFilters>

const cast = fc.record({
  kind: fc.constantFrom('cast.created' as const, 'cast.deleted' as const),
  authorFid: fid,
  authorScore: score,
  mentionedFids: list(fid),
  parentFid: fc.option(fid),
  parentHash: fc.option(anyHash),
  parentUrl: fc.option(url),
  rootParentUrl: fc.option(url),
  embeddedFids: list(fid),
  embeddedHashes: list(anyHash),
  embeddedUrls: list(url),
  text,
})
const event: fc.Arbitrary<EventFacts> = fc.oneof(
  { arbitrary: cast, weight: 5 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('follow.created' as const, 'follow.deleted' as const),
      fid,
      targetFid: fid,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('reaction.created' as const, 'reaction.deleted' as const),
      fid,
      targetFid: fid,
      targetHash: anyHash,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('trade.created' as const),
      fid: fc.option(fid),
      amountUsdc: fc.constantFrom(0, 0.5, 1, 99, 100),
      traderScore: score,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('user.created' as const, 'user.updated' as const), fid }),
    weight: 1,
  },
)

const RUNS = 700
const SUBSCRIPTIONS = 12
const EVENTS = 20

it('Matcher: matches the reference implementation, also after subscriptions change', () => {
  const parameters = { numRuns: RUNS, seed: Number(process.env.FC_SEED ?? 20_261_120) }
  process.stdout.write(`matcher against plain rules: seed ${parameters.seed}\n`)
  let pairs = 0
  fc.assert(
    fc.property(
      fc.array(filters, { minLength: SUBSCRIPTIONS, maxLength: SUBSCRIPTIONS }),
      fc.array(event, { minLength: EVENTS, maxLength: EVENTS }),
      fc.array(fc.tuple(fc.nat(SUBSCRIPTIONS - 1), fc.option(filters)), { maxLength: 6 }),
      (all, events, changes) => {
        const matcher = new Matcher()
        const subscribed = new Map<string, WebhookSubscription>()
        const subscribe = (index: number, given: WebhookSubscriptionFilters | null) => {
          const webhookId = `webhook ${index}`
          if (given === null) {
            matcher.delete(webhookId)
            subscribed.delete(webhookId)
          } else {
            matcher.set({ webhookId, filters: given })
            subscribed.set(webhookId, { webhookId, filters: given })
          }
        }
        const compare = () => {
          for (const each of events) {
            const found = matcher.match(each)
            expect(new Set(found).size).toBe(found.length)
            expect(found.sort()).toEqual(referenceMatch([...subscribed.values()], each).sort())
            pairs += subscribed.size
          }
        }
        for (const [index, given] of all.entries()) subscribe(index, given)
        compare()
        for (const [index, given] of changes) subscribe(index, given)
        if (changes.length > 0) compare()
        expect(matcher.size).toBe(subscribed.size)
      },
    ),
    parameters,
  )
  process.stdout.write(`matcher against plain rules: ${pairs} pairs of a filter and an event\n`)
  expect(pairs).toBeGreaterThan(100_000)
})
