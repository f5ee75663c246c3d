import type { EventType, Subscription } from './requests'

/** How the values of a filter's member are entered. */
export type FieldInput = 'fids' | 'hashes' | 'urls' | 'pattern' | 'score' | 'amount'

/** A member of a filter. */
export interface FilterField {
  readonly name: string
  readonly label: string
  readonly input: FieldInput
  /** Whether it excludes events. Of the others, one must match. */
  readonly narrows?: true
}

const castFields: readonly FilterField[] = [
  { name: 'author_fids', label: 'Authors', input: 'fids' },
  { name: 'mentioned_fids', label: 'Mentioned users', input: 'fids' },
  { name: 'parent_author_fids', label: 'Authors of the cast above', input: 'fids' },
  { name: 'embedded_cast_author_fids', label: 'Authors of an embedded cast', input: 'fids' },
  { name: 'parent_hashes', label: 'Hashes of the cast above', input: 'hashes' },
  { name: 'embedded_cast_hashes', label: 'Hashes of an embedded cast', input: 'hashes' },
  { name: 'parent_urls', label: 'Parent URLs', input: 'urls' },
  { name: 'root_parent_urls', label: 'Root parent URLs of the thread', input: 'urls' },
  { name: 'text', label: 'Text', input: 'pattern' },
  { name: 'embeds', label: 'Embedded URL', input: 'pattern' },
  { name: 'exclude_author_fids', label: 'Authors to leave out', input: 'fids', narrows: true },
  { name: 'minimum_author_score', label: 'Minimum score of the author', input: 'score', narrows: true },
]

const followFields: readonly FilterField[] = [
  { name: 'fids', label: 'Users who follow', input: 'fids' },
  { name: 'target_fids', label: 'Users who are followed', input: 'fids' },
]

const reactionFields: readonly FilterField[] = [
  { name: 'fids', label: 'Users who react', input: 'fids' },
  { name: 'target_fids', label: 'Authors of the cast', input: 'fids' },
  { name: 'target_cast_hashes', label: 'Hashes of the cast', input: 'hashes' },
]

const tradeFields: readonly FilterField[] = [
  { name: 'fids', label: 'Traders', input: 'fids' },
  { name: 'minimum_token_amount_usdc', label: 'Minimum value in USDC', input: 'amount', narrows: true },
  {
    name: 'minimum_trader_service_score',
    label: 'Minimum score of the trader',
    input: 'score',
    narrows: true,
  },
]

/** The documented filter of each event type: the form, what it sends and what it reads come from this table. */
export const filterFields: Readonly<Record<EventType, readonly FilterField[]>> = {
  'cast.created': castFields,
  'cast.deleted': castFields,
  'follow.created': followFields,
  'follow.deleted': followFields,
  'reaction.created': reactionFields,
  'reaction.deleted': reactionFields,
  'trade.created': tradeFields,
  'user.created': [],
  'user.updated': [{ name: 'fids', label: 'Users', input: 'fids' }],
}

export const eventTypes = Object.keys(filterFields) as EventType[]

/** Input texts, by event type and name of the member. An event type that is not selected is absent. */
export type FilterTexts = Readonly<Partial<Record<EventType, Readonly<Record<string, string>>>>>

/** Returns the texts of a subscription, to edit it. */
export function textsOf(subscription: Subscription | undefined): FilterTexts {
  return Object.fromEntries(
    Object.entries(subscription ?? {}).map(([type, filter]) => [
      type,
      Object.fromEntries(
        filterFields[type as EventType].flatMap(({ name, input }) => {
          const value = (filter as Record<string, unknown>)[name]
          if (value === undefined) return []
          return [[name, Array.isArray(value) ? value.join(input === 'fids' ? ', ' : '\n') : String(value)]]
        }),
      ),
    ]),
  )
}

/** A subscription as it was entered, or what is wrong with members, by property: `subscription.cast.created.text`. */
export function subscriptionOf(texts: FilterTexts): {
  readonly subscription: Subscription
  readonly problems: ReadonlyMap<string, string>
} {
  const problems = new Map<string, string>()
  const filters = Object.entries(texts).map(([type, members]) => [
    type,
    Object.fromEntries(
      filterFields[type as EventType].flatMap(({ name, input }) => {
        const entered = members[name] ?? ''
        // A blank is a part of a pattern.
        const text = input === 'pattern' ? entered : entered.trim()
        if (text === '') return []
        const value = parsers[input](text)
        if (!(value instanceof Error)) return [[name, value]]
        problems.set(`subscription.${type}.${name}`, value.message)
        return []
      }),
    ),
  ])
  return { subscription: Object.fromEntries(filters), problems }
}

const parsers: Readonly<Record<FieldInput, (text: string) => unknown>> = {
  fids: parseFids,
  hashes: parseList(/\s*[\s,]\s*/, /^(0x)?[0-9a-f]{40}$/i, 'the hash of a cast, 40 hex digits'),
  urls: parseList(/\s*\n\s*/, /^\S+$/, 'a URL'),
  pattern: (text) => text,
  score: parseNumber(1),
  amount: parseNumber(Number.MAX_SAFE_INTEGER),
}

/** Parses fids between commas, spaces or lines. */
export function parseFids(text: string): number[] | Error {
  const fids = parseList(/[\s,]+/, /^\d{1,15}$/, 'a fid')(text)
  return fids instanceof Error ? fids : fids.map(Number)
}

function parseList(separator: RegExp, item: RegExp, description: string) {
  return (text: string): string[] | Error => {
    const items = text.split(separator).filter((each) => each !== '')
    const wrong = items.find((each) => !item.test(each))
    return wrong === undefined ? items : new Error(`${wrong.slice(0, 60)} is not ${description}`)
  }
}

function parseNumber(most: number) {
  return (text: string): number | Error => {
    const value = Number(text)
    if (value >= 0 && value <= most) return value
    return new Error(most === 1 ? 'must be a number from 0 to 1' : 'must be a number of at least 0')
  }
}
