import { type AnyFilter, isCatchAll, listedValues, traderScoreOf } from './filters.js'
import { PatternIndex } from './pattern-index.js'

/** Facts of an added or removed cast that filters can select. Hashes are lowercase hex with `0x`. */
export interface CastFacts {
  readonly kind: 'cast.created' | 'cast.deleted'
  readonly authorFid: number
  /** 0 when unknown, as in the API. */
  readonly authorScore: number
  readonly mentionedFids: readonly number[]
  readonly parentFid: number | null
  readonly parentHash: string | null
  readonly parentUrl: string | null
  readonly rootParentUrl: string | null
  readonly embeddedFids: readonly number[]
  readonly embeddedHashes: readonly string[]
  readonly embeddedUrls: readonly string[]
  /** The text as the API shows it, with the names of mentioned users. */
  readonly text: string
}

interface ReactionFacts {
  readonly kind: 'reaction.created' | 'reaction.deleted'
  readonly fid: number
  /** The author of the cast. */
  readonly targetFid: number
  readonly targetHash: string
}

interface TradeFacts {
  readonly kind: 'trade.created'
  /** Null when the trader is not a user. */
  readonly fid: number | null
  readonly amountUsdc: number
  readonly traderScore: number
}

/** Facts of an event that filters can select. */
export type EventFacts =
  | CastFacts
  | ReactionFacts
  | TradeFacts
  | { readonly kind: 'follow.created' | 'follow.deleted'; readonly fid: number; readonly targetFid: number }
  | { readonly kind: 'user.created' | 'user.updated'; readonly fid: number }

type AnyFacts = Partial<
  Omit<CastFacts, 'kind'> & Omit<ReactionFacts, 'kind' | 'fid'> & Pick<TradeFacts, 'fid'>
>

/** Filter members that list values, and where events have them. An event must have one of the values. */
const listMembers = Object.entries({
  author_fids: ({ authorFid }: AnyFacts) => [authorFid],
  mentioned_fids: ({ mentionedFids }: AnyFacts) => mentionedFids,
  parent_author_fids: ({ parentFid }: AnyFacts) => [parentFid],
  embedded_cast_author_fids: ({ embeddedFids }: AnyFacts) => embeddedFids,
  embedded_cast_hashes: ({ embeddedHashes }: AnyFacts) => embeddedHashes,
  parent_hashes: ({ parentHash }: AnyFacts) => [parentHash],
  parent_urls: ({ parentUrl }: AnyFacts) => [parentUrl],
  root_parent_urls: ({ rootParentUrl }: AnyFacts) => [rootParentUrl],
  fids: ({ fid }: AnyFacts) => [fid],
  target_fids: ({ targetFid }: AnyFacts) => [targetFid],
  target_cast_hashes: ({ targetHash }: AnyFacts) => [targetHash],
})

interface FilterEntry {
  readonly webhookId: string
  readonly filter: AnyFilter
  readonly excludedAuthors: ReadonlySet<number>
  readonly minimumScore: number
}

/** The filters of one event kind, indexed by what they select: an event costs what it matches, however many there are. */
export class FilterIndex {
  readonly #entries = new Map<string, FilterEntry>()
  readonly #lists = listMembers.map(([member, valuesOf]) => ({
    member,
    valuesOf,
    entries: new Map<unknown, Set<FilterEntry>>(),
  }))
  readonly #texts = new PatternIndex<FilterEntry>()
  readonly #embeds = new PatternIndex<FilterEntry>()
  /** Filters that list nothing, by minimum score ascending: they match every event that their other members allow. */
  readonly #catchAll: FilterEntry[] = []

  /** Number of filters. */
  get size(): number {
    return this.#entries.size
  }

  add(webhookId: string, filter: AnyFilter): void {
    const minimumScore = filter.minimum_author_score ?? traderScoreOf(filter) ?? 0
    const excludedAuthors = new Set(filter.exclude_author_fids)
    const entry = { webhookId, filter, excludedAuthors, minimumScore }
    this.#entries.set(webhookId, entry)
    for (const { member, entries } of this.#lists) {
      for (const value of listedValues(filter, member)) {
        const others = entries.get(value)
        if (others === undefined) entries.set(value, new Set([entry]))
        else others.add(entry)
      }
    }
    if (filter.text) this.#texts.add(entry, filter.text)
    if (filter.embeds) this.#embeds.add(entry, filter.embeds)
    if (!isCatchAll(filter)) return
    const position = this.#catchAll.findIndex((other) => other.minimumScore > minimumScore)
    this.#catchAll.splice(position === -1 ? this.#catchAll.length : position, 0, entry)
  }

  remove(webhookId: string): void {
    const entry = this.#entries.get(webhookId)
    if (entry === undefined) return
    this.#entries.delete(webhookId)
    for (const { member, entries } of this.#lists) {
      for (const value of listedValues(entry.filter, member)) {
        const remaining = entries.get(value)
        remaining?.delete(entry)
        if (remaining?.size === 0) entries.delete(value)
      }
    }
    this.#texts.remove(entry)
    this.#embeds.remove(entry)
    const position = this.#catchAll.indexOf(entry)
    if (position !== -1) this.#catchAll.splice(position, 1)
  }

  /** Returns the webhooks whose filters select the event, each once. */
  match(event: EventFacts): string[] {
    const matched = new Set<string>()
    const score = scoreOf(event)
    const check = (entry: FilterEntry) => {
      if (isAllowed(entry, event, score)) matched.add(entry.webhookId)
    }
    for (const entry of this.#catchAll) {
      if (entry.minimumScore > score) break
      check(entry)
    }
    for (const { valuesOf, entries } of this.#lists) {
      if (entries.size === 0) continue
      for (const value of valuesOf(event) ?? []) entries.get(value)?.forEach(check)
    }
    if (isCast(event)) {
      // Skips patterns of filters that have matched already or are excluded anyway.
      const checkPattern = (entry: FilterEntry, isMatch: () => boolean) => {
        if (!matched.has(entry.webhookId) && isAllowed(entry, event, score) && isMatch())
          matched.add(entry.webhookId)
      }
      this.#texts.search([event.text], checkPattern)
      this.#embeds.search(event.embeddedUrls, checkPattern)
    }
    return [...matched]
  }
}

function isCast(event: EventFacts): event is CastFacts {
  return event.kind === 'cast.created' || event.kind === 'cast.deleted'
}

/** Returns the score to compare with the minimum; above every minimum for kinds without scores. */
function scoreOf(event: EventFacts): number {
  if (isCast(event)) return event.authorScore
  return event.kind === 'trade.created' ? event.traderScore : 1
}

/** Whether the members that only narrow a filter allow the event. */
function isAllowed({ filter, minimumScore, excludedAuthors }: FilterEntry, event: EventFacts, score: number) {
  if (minimumScore > score) return false
  if (event.kind === 'trade.created') return event.amountUsdc >= (filter.minimum_token_amount_usdc ?? 0)
  return !isCast(event) || !excludedAuthors.has(event.authorFid)
}
