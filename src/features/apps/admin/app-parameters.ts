import { Type } from '@sinclair/typebox'
import { fidParameter, pagingParameters, textParameter } from '../../../api/parameters.js'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import { nullable } from '../../../graph/view/schema/schema-type.js'
import { PlazaError } from '../../../platform/errors.js'
import { MAX_RATE_LIMIT } from '../api-keys.js'
import { MAX_DOMAIN_LENGTH, MAX_NAME_LENGTH } from '../app-details.js'
import type { AppDetails } from '../apps.js'

const UUID_PATTERN = '^[\\da-fA-F]{8}(-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}$'

/** Path parameters of an app. */
export const appParams = Type.Object({
  id: Type.String({
    pattern: UUID_PATTERN,
    patternText: 'the id of an app, a UUID',
    description: 'Id of the app.',
    examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'],
  }),
})

/** Members of an app; `name` and `developer_uuid` cannot be cleared. */
export const appMembers = {
  name: textParameter({ maxLength: MAX_NAME_LENGTH, description: 'Unique name.', examples: ['garden'] }),
  fid: nullable(fidParameter({ description: 'Registered fid of the app.' })),
  mini_app_domain: nullable(
    textParameter({
      maxLength: MAX_DOMAIN_LENGTH,
      description: 'Host of its mini app: `app.example.com`. Unique among apps.',
      examples: ['garden.example.com'],
    }),
  ),
  developer_uuid: Type.String({
    pattern: UUID_PATTERN,
    patternText: 'a UUID',
    description: 'Developer of the app. Several apps may share it.',
    examples: ['7d1c9a40-3b52-4e8f-8a6d-5c0e2f7b9a13'],
  }),
}

/** Path parameters of an API key. */
export const keyParams = Type.Object({
  id: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: MAX_INT32,
    description: 'Id of the key.',
    examples: [7],
  }),
})

/** The rate limit of a key, in requests per minute. */
export const rateLimitMember = nullable(
  Type.Integer({
    minimum: 0,
    maximum: MAX_RATE_LIMIT,
    description: 'Requests per minute. 0: no limit. null: the default limit of the server.',
    examples: [600],
  }),
)

/** Query parameters of lists. */
export const pageQuery = Type.Object({
  ...pagingParameters(100, 25),
})

/** Description of the 404 response for an app. */
export const unknownApp = 'There is no app with this id.'

/** Builds the 404 error for an app. */
export function unknownAppError(): PlazaError {
  return new PlazaError('not_found', 'there is no app with this id', { property: 'id' })
}

/** Description of the 404 response for a key. */
export const unknownKey = 'There is no key with this id.'

/** Builds the 404 error for a key. */
export function unknownKeyError(): PlazaError {
  return new PlazaError('not_found', 'there is no key with this id', { property: 'id' })
}

/** Converts body members to `AppDetails`; omitted members stay omitted. */
export function appDetails(input: {
  readonly name?: string
  readonly fid?: number | null
  readonly mini_app_domain?: string | null
  readonly developer_uuid?: string
}): AppDetails {
  const { mini_app_domain, developer_uuid, ...same } = input
  return {
    ...same,
    ...(mini_app_domain === undefined ? {} : { miniAppDomain: mini_app_domain }),
    ...(developer_uuid === undefined ? {} : { developerUuid: developer_uuid }),
  }
}
