import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { useLive } from '../../live'
import { useCursorQuery } from '../../parts/cursor-query'

export type Campaign = Schemas['NotificationCampaign']
export type AudienceCounts = Schemas['NotificationPreviewResponse']
export type AudienceMap = Schemas['NotificationMapResponse']

/** The campaigns of an app, newest first, in pages. */
export function useCampaigns(appId: string) {
  useLive('campaigns', ['campaigns'])
  return useCursorQuery(
    ['campaigns', appId, 'list'],
    (page) =>
      dataOf(api.GET('/v2/social/frame/notifications/', { params: { query: { limit: 25, ...page } } })),
    ({ next }) => next.cursor,
  )
}

/** A campaign with its current counts. */
export function useCampaign(appId: string, id: string) {
  useLive('campaigns', ['campaigns'])
  return useQuery({
    queryKey: ['campaigns', appId, id],
    queryFn: async () => {
      const { notificationCampaigns } = await dataOf(
        api.GET('/v2/social/frame/notifications/', { params: { query: { campaign_id: id } } }),
      )
      const [campaign] = notificationCampaigns
      if (campaign === undefined) throw new Error('This app has no such campaign.')
      return campaign
    },
  })
}

/** Stops a campaign. */
export function useCancelCampaign(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => dataOf(api.DELETE('/v2/social/frame/notifications/', { body: { campaign_id: id } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}

/** The tokens of the app's mini app, by client. */
export function useTokenCounts(appId: string) {
  return useQuery({
    queryKey: ['notification tokens', appId, 'count'],
    queryFn: () => dataOf(api.GET('/v2/social/frame/notification_tokens/count/')),
  })
}

/** The tokens of a user. */
export function useTokensOf(appId: string, fid: number | null) {
  return useQuery({
    queryKey: ['notification tokens', appId, fid],
    enabled: fid !== null,
    queryFn: () =>
      dataOf(
        api.GET('/v2/social/frame/notification_tokens/', {
          params: { query: { fids: fid === null ? [] : [fid], limit: 100 } },
        }),
      ),
  })
}

/** The audience of a notification as the API takes it. */
export interface Audience {
  readonly target_fids: number[]
  readonly filters: {
    readonly exclude_fids?: number[]
    readonly following_fid?: number
    readonly minimum_user_score?: number
    readonly near_location?: {
      readonly latitude: number
      readonly longitude: number
      readonly radius: number
    }
  }
}

/** Counts the tokens of an audience that the notification with this id has not reached yet, and its users on a map. */
export function useCountAudience() {
  return useMutation({
    mutationFn: async ({ audience, uuid }: { readonly audience: Audience; readonly uuid: string }) => {
      const [counts, map] = await Promise.all([
        dataOf(api.POST('/v2/social/frame/notifications/preview/', { body: { ...audience, uuid } })),
        dataOf(api.POST('/v2/social/frame/notifications/map/', { body: audience })),
      ])
      return { audience, uuid, counts, map }
    },
  })
}

/** The text of a notification. */
export interface Content {
  readonly title: string
  readonly body: string
  readonly target_url: string
}

/** Sends a notification. Waits for the last client, unless the server queues it as a campaign. */
export function useSendNotification() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Audience & { readonly notification: Content & { readonly uuid: string } }) =>
      dataOf(api.POST('/v2/social/frame/notifications/', { body })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['campaigns'] }),
  })
}
