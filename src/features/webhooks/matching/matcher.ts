import { type WebhookEventKind, webhookEventKinds } from '../../../graph/view/schema/webhook-filters.js'
import type { EventFacts } from './facts.js'
import { KindIndex } from './kind-index.js'
import { filtersByKind, type Subscription } from './subscription.js'

/**
 * Finds the webhooks of an event.
 *
 * All subscriptions are indexed by what they select, so the cost of an event depends on its matches and not
 * on the number of subscriptions. The meaning of filters is in docs/webhooks.md.
 */
export class Matcher {
  readonly #kinds = new Map<WebhookEventKind, KindIndex>(
    webhookEventKinds.map((kind) => [kind, new KindIndex()]),
  )
  readonly #subscriptions = new Map<string, Subscription>()

  /** Number of webhooks with a subscription. */
  get size(): number {
    return this.#subscriptions.size
  }

  /** Adds or replaces a webhook's subscription. */
  set(subscription: Subscription): void {
    this.delete(subscription.webhookId)
    this.#subscriptions.set(subscription.webhookId, subscription)
    for (const [kind, filter] of filtersByKind(subscription)) {
      this.#kinds.get(kind)?.add(subscription.webhookId, filter)
    }
  }

  /** Removes a webhook's subscription. */
  delete(webhookId: string): void {
    const subscription = this.#subscriptions.get(webhookId)
    if (subscription === undefined) return
    this.#subscriptions.delete(webhookId)
    for (const [kind] of filtersByKind(subscription)) this.#kinds.get(kind)?.remove(webhookId)
  }

  /** Whether any webhook subscribes to this kind. */
  hasSubscribers(kind: WebhookEventKind): boolean {
    return (this.#kinds.get(kind)?.size ?? 0) > 0
  }

  /** Returns the webhooks that the event is for, each once. */
  match(event: EventFacts): string[] {
    return this.#kinds.get(event.kind)?.match(event) ?? []
  }
}
