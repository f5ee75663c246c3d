import { fidOf } from '../../parts/fid'
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

/** The other name of `minimum_trader_service_score`, which is not offered. */
type OmittedMember = 'minimum_trader_neynar_score'

/** All documented members of the filter of an event type, in the order of the form: one that is missing here is a type error. */
type MembersOf<Type extends EventType> = Readonly<
  Record<Exclude<keyof NonNullable<Subscription[Type]>, OmittedMember>, Omit<FilterField, 'name'>>
>

const castFields = fieldsOf({
  author_fids: { label: 'Authors', input: 'fids' },
  mentioned_fids: { label: 'Mentioned users', input: 'fids' },
  parent_author_fids: { label: 'Authors of the cast above', input: 'fids' },
  embedded_cast_author_fids: { label: 'Authors of an embedded cast', input: 'fids' },
  parent_hashes: { label: 'Hashes of the cast above', input: 'hashes' },
  embedded_cast_hashes: { label: 'Hashes of an embedded cast', input: 'hashes' },
  parent_urls: { label: 'Parent URLs', input: 'urls' },
  root_parent_urls: { label: 'Root parent URLs of the thread', input: 'urls' },
  text: { label: 'Text', input: 'pattern' },
  embeds: { label: 'Embedded URL', input: 'pattern' },
  exclude_author_fids: { label: 'Authors to leave out', input: 'fids', narrows: true },
  minimum_author_score: { label: 'Minimum score of the author', input: 'score', narrows: true },
} satisfies MembersOf<'cast.created'>)

const followFields = fieldsOf({
  fids: { label: 'Users who follow', input: 'fids' },
  target_fids: { label: 'Users who are followed', input: 'fids' },
} satisfies MembersOf<'follow.created'>)

const reactionFields = fieldsOf({
  fids: { label: 'Users who react', input: 'fids' },
  target_fids: { label: 'Authors of the cast', input: 'fids' },
  target_cast_hashes: { label: 'Hashes of the cast', input: 'hashes' },
} satisfies MembersOf<'reaction.created'>)

const tradeFields = fieldsOf({
  fids: { label: 'Traders', input: 'fids' },
  minimum_token_amount_usdc: { label: 'Minimum value in USDC', input: 'amount', narrows: true },
  minimum_trader_service_score: { label: 'Minimum score of the trader', input: 'score', narrows: true },
} satisfies MembersOf<'trade.created'>)

const userFields = fieldsOf({
  fids: { label: 'Users', input: 'fids' },
} satisfies MembersOf<'user.updated'>)

function fieldsOf(members: Readonly<Record<string, Omit<FilterField, 'name'>>>): readonly FilterField[] {
  return Object.entries(members).map(([name, member]) => ({ name, ...member }))
}

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
  'user.updated': userFields,
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
  hashes: parseList(
    /\s*[\s,]\s*/,
    (text) => /^(0x)?[0-9a-f]{40}$/i.test(text),
    'the hash of a cast, 40 hex digits',
  ),
  urls: parseList(/\s*\n\s*/, (text) => /^\S+$/.test(text), 'a URL'),
  pattern: (text) => text,
  score: parseNumber(1),
  amount: parseNumber(Number.MAX_SAFE_INTEGER),
}

/** Parses fids between commas, spaces or lines. */
export function parseFids(text: string): number[] | Error {
  const fids = parseList(/[\s,]+/, (each) => fidOf(each) !== null, 'a fid')(text)
  return fids instanceof Error ? fids : fids.map(Number)
}

function parseList(separator: RegExp, isItem: (text: string) => boolean, description: string) {
  return (text: string): string[] | Error => {
    const items = text.split(separator).filter((each) => each !== '')
    const wrong = items.find((each) => !isItem(each))
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
