import { type Static, Type } from '@sinclair/typebox'
import { fidParameter, numberParameter, pointParameters, uuidParameter } from '../../../api/parameters.js'
import { MAX_DISTANCE_KM } from '../../../graph/query/users-nearby.js'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import { LocationAddress } from '../../../graph/view/schema/user.js'
import type { AudienceFilter } from '../campaigns/audience/audience.js'

/** Limits of the protocol (docs/protocol.md §8.3). */
const MAX_TITLE_LENGTH = 32
const MAX_BODY_LENGTH = 128
const MAX_URL_LENGTH = 256
const MAX_TARGETS = 100
/** Maximum number of fids that fits into a body of 1 MiB. */
const MAX_EXCLUDED = 100_000
/** The same radius as `user/by_location`. */
const DEFAULT_RADIUS_METERS = MAX_DISTANCE_KM * 1_000
/** Slightly more than half the circumference of the earth. */
const MAX_RADIUS_METERS = 20_100_000

/** The id of a campaign. */
export const campaignIdParameter = uuidParameter({
  patternText: 'the campaign_id of a campaign',
  description: 'Id of the campaign.',
})

/** The idempotency key of a notification. */
export const uuidMember = {
  ...uuidParameter({
    description: 'Idempotency key: users who were reached with it are not notified again within 24 hours.',
    examples: ['5b0e7c1d-2a3f-4e6b-8c9d-0a1b2c3d4e5f'],
  }),
  // A client that forgot to fill it in would notify users again.
  refusesEmpty: true,
}

/** The audience of a notification, as published clients send it. */
export const audienceMembers = {
  target_fids: Type.Optional(
    Type.Array(fidParameter({ description: 'Fid of a user.' }), {
      minItems: 0,
      maxItems: MAX_TARGETS,
      description:
        'Users to notify. Absent or empty: all users who have enabled notifications of the mini app.',
      examples: [[]],
    }),
  ),
  filters: Type.Optional(
    Type.Object(
      {
        exclude_fids: Type.Optional(
          Type.Array(Type.Integer({ format: 'int32', minimum: 0, maximum: MAX_INT32 }), {
            minItems: 0,
            maxItems: MAX_EXCLUDED,
            description: 'Users to leave out.',
            examples: [],
          }),
        ),
        following_fid: Type.Optional(
          fidParameter({ minimum: 0, description: 'Only users who follow this user.' }),
        ),
        minimum_user_score: Type.Optional(
          numberParameter({
            minimum: 0,
            maximum: 1,
            description: 'Only users with at least this score.',
            examples: [0.5],
          }),
        ),
        near_location: Type.Optional(
          Type.Object(
            {
              ...pointParameters,
              radius: Type.Optional(
                Type.Number({
                  minimum: 0,
                  description: `Radius in meters, by default ${DEFAULT_RADIUS_METERS}. Half the circumference of the earth at most counts.`,
                  examples: [5_000],
                }),
              ),
              address: Type.Optional({
                ...LocationAddress,
                description: 'Name of the place. It has no effect; only the coordinates count.',
                examples: [],
              }),
            },
            { description: 'Only users whose profile location is within this circle.' },
          ),
        ),
      },
      { description: 'Filters of the audience. All of them must match.' },
    ),
  ),
}

/** The body of `POST frame/notifications`, as published clients send it. */
export const SendFrameNotificationsReqBody = Type.Object({
  notification: Type.Object({
    title: Type.String({
      minLength: 1,
      maxLength: MAX_TITLE_LENGTH,
      description: 'Title of the notification.',
      examples: ['Harvest time'],
    }),
    body: Type.String({
      minLength: 1,
      maxLength: MAX_BODY_LENGTH,
      description: 'Text of the notification.',
      examples: ['Your tomatoes are ripe.'],
    }),
    target_url: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'https URL on the domain of the mini app that the notification opens.',
      examples: ['https://garden.example.com/harvest'],
    }),
    uuid: Type.Optional(uuidMember),
  }),
  ...audienceMembers,
})

type AudienceBody = Pick<Static<typeof SendFrameNotificationsReqBody>, 'target_fids' | 'filters'>

/** Converts body members to an audience. */
export function audienceOf({ target_fids = [], filters = {} }: AudienceBody): AudienceFilter {
  const { exclude_fids, following_fid, minimum_user_score, near_location: near } = filters
  return {
    targetFids: target_fids,
    excludeFids: exclude_fids ?? [],
    followingFid: following_fid ?? null,
    minimumScore: minimum_user_score ?? null,
    near: near
      ? {
          latitude: near.latitude,
          longitude: near.longitude,
          radiusMeters: Math.min(near.radius ?? DEFAULT_RADIUS_METERS, MAX_RADIUS_METERS),
        }
      : null,
  }
}
