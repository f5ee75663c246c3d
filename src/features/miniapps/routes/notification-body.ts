import { type Static, Type } from '@sinclair/typebox'
import { fidParameter, numberParameter } from '../../../api/parameters.js'
import { MAX_DISTANCE_KM } from '../../../graph/query/users-by-location.js'
import { LocationAddress } from '../../../graph/view/schema/location.js'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import type { AudienceFilter } from '../campaigns/audience/audience.js'

const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
/** The protocol's (docs/protocol.md §8.3). */
const MAX_TITLE_LENGTH = 32
const MAX_BODY_LENGTH = 128
const MAX_URL_LENGTH = 256
const MAX_TARGETS = 100
/** As many as fit into a body. */
const MAX_EXCLUDED = 100_000
/** As far as `user/by_location` looks. */
const DEFAULT_RADIUS_METERS = MAX_DISTANCE_KM * 1_000
/** Half way round the earth, and a little more. */
const MAX_RADIUS_METERS = 20_100_000

/** Which campaign. */
export const campaignIdParameter = Type.String({
  pattern: UUID,
  patternText: 'the campaign_id of a campaign',
  description: 'Which campaign.',
})

/** By what a repeated request is known. */
export const uuidMember = Type.String({
  pattern: UUID,
  patternText: 'a UUID',
  description: 'An idempotency key: whoever was reached under it is not told again within 24 hours.',
})

/** Whom a notification is for, as the published client sends it. */
export const audienceMembers = {
  target_fids: Type.Optional(
    Type.Array(fidParameter({ description: 'A user.' }), {
      minItems: 0,
      maxItems: MAX_TARGETS,
      description:
        'Who is told. Empty, or not given: everyone who has notifications of the mini app enabled.',
    }),
  ),
  filters: Type.Optional(
    Type.Object(
      {
        exclude_fids: Type.Optional(
          Type.Array(Type.Integer({ format: 'int32', minimum: 0, maximum: MAX_INT32 }), {
            minItems: 0,
            maxItems: MAX_EXCLUDED,
            description: 'Who is not told.',
          }),
        ),
        following_fid: Type.Optional(
          fidParameter({ minimum: 0, description: 'Only who follows this user.' }),
        ),
        minimum_user_score: Type.Optional(
          numberParameter({ minimum: 0, maximum: 1, description: 'Only whose score is at least this.' }),
        ),
        near_location: Type.Optional(
          Type.Object(
            {
              latitude: numberParameter({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
              longitude: numberParameter({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
              radius: Type.Optional(
                Type.Number({
                  minimum: 0,
                  maximum: MAX_RADIUS_METERS,
                  description: `In metres; ${DEFAULT_RADIUS_METERS} unless it is given.`,
                }),
              ),
              address: Type.Optional({
                ...LocationAddress,
                description: 'What the place is called, for people. The coordinates say where it is.',
              }),
            },
            { description: 'Only whose profile says a place in this circle.' },
          ),
        ),
      },
      { description: 'All of them must hold.' },
    ),
  ),
}

/** A notification and its audience, as the published client sends them. */
export const SendFrameNotificationsReqBody = Type.Object({
  notification: Type.Object({
    title: Type.String({ minLength: 1, maxLength: MAX_TITLE_LENGTH, description: 'Its first line.' }),
    body: Type.String({ minLength: 1, maxLength: MAX_BODY_LENGTH, description: 'Its text.' }),
    target_url: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'What a tap opens: an https URL on the domain of the mini app.',
    }),
    uuid: Type.Optional(uuidMember),
  }),
  ...audienceMembers,
})

type AudienceBody = Pick<Static<typeof SendFrameNotificationsReqBody>, 'target_fids' | 'filters'>

/** The audience that a body asks for. */
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
          radiusMeters: near.radius ?? DEFAULT_RADIUS_METERS,
        }
      : null,
  }
}
