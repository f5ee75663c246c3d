import type { CastFacts, EventFacts } from './facts.js'
import { createFilterEntry, type FilterEntry, type PatternMember } from './filter-entry.js'
import { PatternIndex } from './pattern-index.js'
import { type AnyFilter, hasSelectors, normalizeHash } from './subscription.js'

/** Filter members that list numbers, and where an event has them. */
const numberMembers = [
  'author_fids',
  'mentioned_fids',
  'parent_author_fids',
  'embedded_cast_author_fids',
  'fids',
  'target_fids',
] as const
const textMembers = [
  'embedded_cast_hashes',
  'parent_hashes',
  'target_cast_hashes',
  'parent_urls',
  'root_parent_urls',
] as const
const hashMembers: ReadonlySet<string> = new Set([
  'embedded_cast_hashes',
  'parent_hashes',
  'target_cast_hashes',
])

type NumberMember = (typeof numberMembers)[number]
type TextMember = (typeof textMembers)[number]

/** The indexed filters of one event kind. */
export class KindIndex {
  readonly #entries = new Map<string, FilterEntry>()
  readonly #numbers = new Map<NumberMember, Map<number, FilterEntry[]>>(
    numberMembers.map((member) => [member, new Map()]),
  )
  readonly #texts = new Map<TextMember, Map<string, FilterEntry[]>>(
    textMembers.map((member) => [member, new Map()]),
  )
  readonly #patterns: Readonly<Record<PatternMember, PatternIndex>> = {
    text: new PatternIndex('text'),
    embeds: new PatternIndex('embeds'),
  }
  /** Filters without selectors, by minimum score ascending. */
  readonly #catchAll: FilterEntry[] = []
  #events = 0

  get size(): number {
    return this.#entries.size
  }

  add(webhookId: string, filter: AnyFilter): void {
    const entry = createFilterEntry(webhookId, filter)
    this.#entries.set(webhookId, entry)
    if (!hasSelectors(filter)) {
      const position = this.#catchAll.findIndex((other) => other.minimumScore > entry.minimumScore)
      this.#catchAll.splice(position === -1 ? this.#catchAll.length : position, 0, entry)
      return
    }
    this.#forEachKey(entry, (keys, key) => {
      const entries = keys.get(key)
      if (entries === undefined) keys.set(key, [entry])
      else entries.push(entry)
    })
    for (const index of Object.values(this.#patterns)) index.add(entry)
  }

  remove(webhookId: string): void {
    const entry = this.#entries.get(webhookId)
    if (entry === undefined) return
    this.#entries.delete(webhookId)
    const position = this.#catchAll.indexOf(entry)
    if (position !== -1) this.#catchAll.splice(position, 1)
    this.#forEachKey(entry, (keys, key) => {
      const remaining = keys.get(key)?.filter((other) => other !== entry) ?? []
      if (remaining.length === 0) keys.delete(key)
      else keys.set(key, remaining)
    })
    for (const index of Object.values(this.#patterns)) index.remove(entry)
  }

  match(event: EventFacts): string[] {
    this.#events += 1
    const eventNumber = this.#events
    const matched: string[] = []
    const score = scoreOf(event)
    const check = (entry: FilterEntry) => {
      if (entry.lastCheckedEvent === eventNumber) return
      entry.lastCheckedEvent = eventNumber
      if (passesExclusions(entry, event, score)) matched.push(entry.webhookId)
    }
    for (const entry of this.#catchAll) {
      if (entry.minimumScore > score) break
      check(entry)
    }
    this.#lookUp(event, check)
    if (isCast(event)) {
      // Skips patterns of filters that have matched already or are excluded anyway.
      const checkPattern = (entry: FilterEntry, isMatch: () => boolean) => {
        if (entry.lastCheckedEvent === eventNumber || !passesExclusions(entry, event, score)) return
        if (!isMatch()) return
        entry.lastCheckedEvent = eventNumber
        matched.push(entry.webhookId)
      }
      this.#patterns.text.search([event.text], checkPattern)
      this.#patterns.embeds.search(event.embeddedUrls, checkPattern)
    }
    return matched
  }

  #lookUp(event: EventFacts, check: (entry: FilterEntry) => void): void {
    const number = (member: NumberMember, key: number | null) => {
      if (key !== null) this.#numbers.get(member)?.get(key)?.forEach(check)
    }
    const text = (member: TextMember, key: string | null) => {
      if (key !== null) this.#texts.get(member)?.get(key)?.forEach(check)
    }
    if (isCast(event)) {
      number('author_fids', event.authorFid)
      for (const fid of event.mentionedFids) number('mentioned_fids', fid)
      number('parent_author_fids', event.parentFid)
      for (const fid of event.embeddedFids) number('embedded_cast_author_fids', fid)
      for (const hash of event.embeddedHashes) text('embedded_cast_hashes', hash)
      text('parent_hashes', event.parentHash)
      text('parent_urls', event.parentUrl)
      text('root_parent_urls', event.rootParentUrl)
      return
    }
    number('fids', event.fid)
    if ('targetFid' in event) number('target_fids', event.targetFid)
    if ('targetHash' in event) text('target_cast_hashes', event.targetHash)
  }

  /** Calls once for each index key of an entry. */
  #forEachKey(
    { filter }: FilterEntry,
    visit: (
      keys: {
        get(key: unknown): FilterEntry[] | undefined
        set(key: unknown, entries: FilterEntry[]): void
        delete(key: unknown): void
      },
      key: unknown,
    ) => void,
  ): void {
    for (const [member, keys] of this.#numbers) {
      for (const fid of new Set(filter[member])) visit(keys as never, fid)
    }
    for (const [member, keys] of this.#texts) {
      const values = filter[member] ?? []
      for (const key of new Set(hashMembers.has(member) ? values.map(normalizeHash) : values)) {
        visit(keys as never, key)
      }
    }
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

function passesExclusions(entry: FilterEntry, event: EventFacts, score: number): boolean {
  if (entry.minimumScore > score) return false
  if (event.kind === 'trade.created') return event.amountUsdc >= entry.minimumAmount
  return entry.excludedAuthors === null || !isCast(event) || !entry.excludedAuthors.has(event.authorFid)
}
