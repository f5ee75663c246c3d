import { type Static, Type } from '@sinclair/typebox'
import { NextCursor } from './paging.js'
import { DateTime, Fid } from './primitives.js'
import { nullable } from './schema-type.js'

const Uuid = Type.String({ format: 'uuid' })

/** An app: a client of the API with its own keys. */
export const App = Type.Object(
  {
    object: Type.Literal('app'),
    id: Uuid,
    name: Type.String({ description: 'No two apps have the same.' }),
    fid: nullable(Fid),
    mini_app_domain: nullable(
      Type.String({ description: 'The host that its mini app lives on, in small letters and ASCII.' }),
    ),
    events_url: Type.String({
      description:
        'Where clients send events of its users: the `webhookUrl` of its manifest. Only the path where a command does ' +
        'not know the address of the server.',
    }),
    developer_uuid: Type.String({ format: 'uuid', description: 'Several apps may have the same.' }),
    key_count: Type.Integer({ minimum: 0, description: 'Keys that are not revoked.' }),
    created_at: DateTime,
  },
  { $id: 'App', description: 'Who uses the API under one name.' },
)
export type App = Static<typeof App>

export const AppResponse = Type.Object({ app: App }, { $id: 'AppResponse' })
export const AppsResponse = Type.Object({ apps: Type.Array(App), next: NextCursor }, { $id: 'AppsResponse' })

/** The public data of an API key. */
export const ApiKey = Type.Object(
  {
    object: Type.Literal('api_key'),
    id: Type.Integer({ format: 'int32', minimum: 1 }),
    app_id: Uuid,
    prefix: Type.String({ description: 'How it begins, to tell keys apart by.' }),
    rate_limit: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Requests per minute; 0 is no limit, null the limit that the server gives everybody.',
      }),
    ),
    created_at: DateTime,
    last_used_at: nullable(Type.String({ format: 'date-time', description: 'To the minute.' })),
    revoked_at: nullable(DateTime),
  },
  { $id: 'ApiKey', description: 'What may be known of a key of the API.' },
)
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyResponse = Type.Object({ api_key: ApiKey }, { $id: 'ApiKeyResponse' })
export const ApiKeysResponse = Type.Object(
  { api_keys: Type.Array(ApiKey), next: NextCursor },
  { $id: 'ApiKeysResponse' },
)
export const NewApiKeyResponse = Type.Object(
  {
    api_key: ApiKey,
    key: Type.String({ description: 'The key itself. It is stored nowhere and never shown again.' }),
  },
  { $id: 'NewApiKeyResponse' },
)
