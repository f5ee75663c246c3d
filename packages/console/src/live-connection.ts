/** Topics of change notices. Pages fetch the values themselves. */
export type LiveTopic = 'webhooks' | 'campaigns' | 'accounts' | 'tokens' | 'jobs' | 'audit'

/** Filter for events of the log; an undefined member selects all. */
export interface EventFilter {
  /** Names with commas between them. */
  readonly types?: string | undefined
  readonly fid?: number | undefined
  readonly shard?: number | undefined
}

/** Somebody who is told of a topic. */
interface Listener {
  readonly topic: LiveTopic | 'overview' | 'events'
  /** For the topic `events`: where to begin, and what to leave out. */
  readonly events?: EventFilter & { readonly after: string }
  readonly receive: (event: MessageEvent<string>) => void
}

/** `off`: nobody listens, or the page is hidden. `lost`: it tries to connect again. */
type State = 'off' | 'on' | 'lost'

/** Pages that are left and entered in one go change the stream once. */
const SETTLE_MS = 30
const RETRY_MS = 1_000
const MAX_RETRY_MS = 15_000
/** The server sends a heartbeat every 10 s. After so long without anything the connection is broken, even if a proxy holds it open. */
const MAX_SILENCE_MS = 30_000
const signsOfLife = ['open', 'heartbeat', 'overview', 'changed', 'events', 'gap', 'position']

/**
 * The stream of `/admin/stream`: one at a time, with the topics that anybody listens to. It is opened again when they
 * change and when it breaks, and continues the log behind the last event that was received. It is closed while the page
 * is hidden: a browser has only few connections to a server, for all its tabs.
 */
export class LiveConnection {
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<() => void>()
  readonly #failureWatchers = new Set<() => void>()
  /** The last fingerprint of each topic: after a break it shows whether anything changed meanwhile. */
  readonly #fingerprints = new Map<string, string>()
  /** The last event that each reader of the log was given. */
  readonly #positions = new WeakMap<Listener, string>()
  #source: EventSource | null = null
  #openKey = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  #silence: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #state: State = 'off'

  constructor() {
    document.addEventListener('visibilitychange', () => this.#settle())
  }

  readonly state = (): State => this.#state

  readonly onState = (watch: () => void): (() => void) => {
    this.#watchers.add(watch)
    return () => this.#watchers.delete(watch)
  }

  /** Calls `watch` at each break and each failed try to connect. Returns the function that ends this. */
  readonly onFailure = (watch: () => void): (() => void) => {
    this.#failureWatchers.add(watch)
    return () => this.#failureWatchers.delete(watch)
  }

  /** Adds a listener. Returns the function that removes it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#settle()
    return () => {
      this.#listeners.delete(listener)
      this.#settle()
    }
  }

  #settle(delayMs = SETTLE_MS): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#open(), delayMs)
  }

  #open(): void {
    const topics = document.hidden ? [] : [...new Set([...this.#listeners].map(({ topic }) => topic))].sort()
    const reader = [...this.#listeners].find(({ events }) => events !== undefined)
    const key = JSON.stringify([topics, reader?.events])
    if (this.#source !== null && key === this.#openKey) return
    this.#source?.close()
    this.#source = null
    this.#openKey = key
    for (const topic of this.#fingerprints.keys()) {
      if (!topics.some((each) => each === topic) && !document.hidden) this.#fingerprints.delete(topic)
    }
    if (topics.length === 0) this.#setState('off')
    else this.#connect(topics, reader)
  }

  #connect(topics: readonly string[], reader: Listener | undefined): void {
    const query = new URLSearchParams({ topics: topics.join(',') })
    if (reader?.events) {
      const { after, types, fid, shard } = reader.events
      query.set('after', this.#positions.get(reader) ?? after)
      if (types !== undefined) query.set('types', types)
      if (fid !== undefined) query.set('fid', String(fid))
      if (shard !== undefined) query.set('shard', String(shard))
    }
    const source = new EventSource(`/admin/stream?${query}`)
    this.#source = source
    this.#limitSilence(source)
    for (const type of signsOfLife) source.addEventListener(type, () => this.#limitSilence(source))
    source.addEventListener('open', () => this.#setState('on'))
    // Not at `open`: a stream that ends at once, as with a topic that cannot be read, is opened ever later.
    source.addEventListener('heartbeat', () => {
      if (source === this.#source) this.#failures = 0
    })
    source.addEventListener('error', () => this.#onBreak(source))
    source.addEventListener('overview', (event) => this.#notify('overview', event))
    source.addEventListener('changed', (event) => this.#onChanged(event))
    for (const type of ['events', 'gap']) {
      source.addEventListener(type, (event) => {
        if (source !== this.#source || reader === undefined) return
        this.#positions.set(reader, event.lastEventId)
        reader.receive(event)
      })
    }
    // Where the stream is when nothing of it is shown: it goes on from there after a break.
    source.addEventListener('position', (event) => {
      if (source === this.#source && reader !== undefined) this.#positions.set(reader, event.lastEventId)
    })
  }

  #limitSilence(source: EventSource): void {
    if (source !== this.#source) return
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#onBreak(source), MAX_SILENCE_MS)
  }

  /** The browser would connect again by itself, but not after a refusal. */
  #onBreak(source: EventSource): void {
    if (source !== this.#source) return
    source.close()
    this.#source = null
    this.#setState('lost')
    this.#settle(Math.min(RETRY_MS * 2 ** this.#failures, MAX_RETRY_MS))
    this.#failures += 1
    for (const watch of this.#failureWatchers) watch()
  }

  #onChanged(event: MessageEvent<string>): void {
    const { topic, fingerprint } = JSON.parse(event.data) as { topic: LiveTopic; fingerprint: string }
    if (this.#fingerprints.get(topic) === fingerprint) return
    this.#fingerprints.set(topic, fingerprint)
    this.#notify(topic, event)
  }

  #notify(topic: Listener['topic'], event: MessageEvent<string>): void {
    for (const listener of this.#listeners) if (listener.topic === topic) listener.receive(event)
  }

  #setState(state: State): void {
    if (state === this.#state) return
    this.#state = state
    for (const watch of this.#watchers) watch()
  }
}
