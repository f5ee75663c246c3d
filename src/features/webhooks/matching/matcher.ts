import { type WebhookEventKind, webhookEventKinds } from '../../../graph/view/schema/webhook-filters.js'
import type { EventFacts } from './facts.js'
import { KindIndex } from './kind-index.js'
import { filtersByKind, type Subscription } from './subscription.js'

/**
 * Says which webhooks an event is for. All subscriptions are kept in indexes by what they ask for, so that an event
 * costs what it matches and not what is subscribed. The meaning of filters is in docs/webhooks.md.
 */
export class Matcher {
  readonly #kinds = new Map<WebhookEventKind, KindIndex>(
    webhookEventKinds.map((kind) => [kind, new KindIndex()]),
  )
  readonly #subscriptions = new Map<string, Subscription>()

  /** How many webhooks are subscribed to anything. */
  get size(): number {
    return this.#subscriptions.size
  }

  /** Adds a webhook's subscription, in place of the one that it has. */
  set(subscription: Subscription): void {
    this.delete(subscription.webhookId)
    this.#subscriptions.set(subscription.webhookId, subscription)
    for (const [kind, filter] of filtersByKind(subscription)) {
      this.#kinds.get(kind)?.add(subscription.webhookId, filter)
    }
  }

  /** Takes a webhook's subscription out. */
  delete(webhookId: string): void {
    const subscription = this.#subscriptions.get(webhookId)
    if (subscription === undefined) return
    this.#subscriptions.delete(webhookId)
    for (const [kind] of filtersByKind(subscription)) this.#kinds.get(kind)?.remove(webhookId)
  }

  /** Whether anybody wants to hear of this kind. */
  hasSubscribers(kind: WebhookEventKind): boolean {
    return (this.#kinds.get(kind)?.size ?? 0) > 0
  }

  /** The webhooks that the event is for, each once. */
  match(event: EventFacts): string[] {
    return this.#kinds.get(event.kind)?.match(event) ?? []
  }
}
