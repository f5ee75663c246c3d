import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { useCursorQuery } from '../../parts/cursor-query'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['WebhookDelivery']
export type Subscription = Schemas['WebhookSubscriptionFilters']
export type EventType = keyof Subscription

const webhooksKey = (appId: string) => ['webhooks', appId] as const

/** The webhooks of an app. */
export function useWebhooks(appId: string) {
  useLive('webhooks', ['webhooks'])
  return useQuery({
    queryKey: webhooksKey(appId),
    queryFn: () => dataOf(api.GET('/v2/social/webhook/list/')),
  })
}

/** A webhook of the app. */
export function useWebhook(appId: string, id: string) {
  useLive('webhooks', ['webhooks'])
  return useQuery({
    queryKey: [...webhooksKey(appId), id],
    queryFn: async () =>
      requireWebhook(await dataOf(api.GET('/v2/social/webhook/', { params: { query: { webhook_id: id } } }))),
  })
}

/** The deliveries of a webhook, newest first, in pages. */
export function useDeliveries(appId: string, id: string, status: Delivery['status'] | null) {
  useLive('webhooks', ['webhooks'])
  return useCursorQuery(
    [...webhooksKey(appId), id, 'deliveries', status],
    (page) =>
      dataOf(
        api.GET('/v2/social/webhook/deliveries/', {
          params: { query: { webhook_id: id, limit: 50, ...(status !== null && { status }), ...page } },
        }),
      ),
    ({ next }) => next.cursor,
  )
}

interface FailedSelection {
  readonly appId: string
  readonly id: string
  readonly period: string
  /** When the period began, as the redelivery takes it. */
  readonly since: () => string
  readonly isEnabled: boolean
}

const MAX_COUNTED = 100

/** The number of deliveries that failed or were canceled since a time; of more than a page only that there are more. */
export function useFailedCount({ appId, id, period, since, isEnabled }: FailedSelection) {
  return useQuery({
    queryKey: [...webhooksKey(appId), id, 'failed', period],
    enabled: isEnabled,
    queryFn: async () => {
      const first = Date.parse(since())
      const pages = await Promise.all(
        (['failed', 'canceled'] as const).map((status) =>
          dataOf(
            api.GET('/v2/social/webhook/deliveries/', {
              params: { query: { webhook_id: id, limit: MAX_COUNTED, status } },
            }),
          ),
        ),
      )
      const counts = pages.map(({ deliveries, next }) => {
        const found = deliveries.filter(({ created_at }) => Date.parse(created_at) >= first).length
        return { found, isAll: next.cursor === null || found < deliveries.length }
      })
      return {
        found: counts.reduce((sum, { found }) => sum + found, 0),
        isAll: counts.every(({ isAll }) => isAll),
      }
    },
  })
}

/** A delivery with the request and the response of its last attempt. */
export function useDelivery(appId: string, id: string) {
  useLive('webhooks', ['webhooks'])
  return useQuery({
    queryKey: [...webhooksKey(appId), 'delivery', id],
    queryFn: () =>
      dataOf(api.GET('/v2/social/webhook/delivery/', { params: { query: { delivery_id: id } } })),
  })
}

/** Values of a webhook's form. */
export interface WebhookDetails {
  readonly name: string
  readonly url: string
  /** Undefined: only samples for a new webhook, unchanged for an existing one. */
  readonly subscription: Subscription | undefined
}

/** Creates a webhook, or changes the one with this id. */
export function useSaveWebhook(id: string | null) {
  return useChange(async (body: WebhookDetails) => {
    const saving =
      id === null
        ? api.POST('/v2/social/webhook/', { body })
        : api.PUT('/v2/social/webhook/', { body: { ...body, webhook_id: id } })
    return requireWebhook(await dataOf(saving))
  })
}

/** Activates or pauses a webhook, whatever it was meanwhile: a dialog stays open while others change it. */
export function useSetActive(webhook_id: string, active: 'true' | 'false') {
  return useChange(() => dataOf(api.PATCH('/v2/social/webhook/', { body: { webhook_id, active } })))
}

/** Deletes a webhook, and then shows the others. */
export function useDeleteWebhook(id: string) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => dataOf(api.DELETE('/v2/social/webhook/', { body: { webhook_id: id } })),
    onSuccess: async () => {
      await navigate({ to: '/webhooks' })
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
}

/** Creates a secret, which is shown before the lists are read again; the old ones end after the grace time. */
export function useRotateSecret(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (graceSeconds: number) =>
      requireWebhook(
        await dataOf(
          api.POST('/v2/social/webhook/secret/rotate/', {
            body: { webhook_id: id, grace_seconds: graceSeconds },
          }),
        ),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['webhooks'] }),
  })
}

/** Sends a sample of an event type. */
export function useSendSample(id: string) {
  return useChange((type: EventType) =>
    dataOf(api.POST('/v2/social/webhook/test/', { body: { webhook_id: id, type } })),
  )
}

/** Sends one delivery again, or all of a webhook that failed or were canceled since a time. */
export function useRedeliver() {
  return useChange((body: { delivery_id: string } | { webhook_id: string; since: string }) =>
    dataOf(api.POST('/v2/social/webhook/deliveries/redeliver/', { body })),
  )
}

/** Matches filters against the events of the last three days. */
export function usePreview() {
  return useMutation({
    mutationFn: (subscription: Subscription) =>
      dataOf(api.POST('/v2/social/webhook/preview/', { body: { subscription, samples: 5 } })),
  })
}

/** A change after which everything about webhooks is read again. */
function useChange<Output, Input = void>(mutationFn: (input: Input) => Promise<Output>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  })
}

/** The reply's schema leaves the webhook open, as published clients have it; the server always sends it. */
function requireWebhook({ webhook }: Schemas['WebhookResponse']): Webhook {
  if (webhook === undefined) throw new Error('the server replied without a webhook')
  return webhook
}
