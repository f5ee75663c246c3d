import { type Static, Type } from '@sinclair/typebox'
import {
  DateTime,
  Fid,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
  Uuid,
} from '../../../graph/view/schema/primitives.js'

/** A client of the API, with keys and data of its own. */
export const App = Type.Object(
  {
    object: Type.Literal('app'),
    id: Uuid,
    name: Type.String({ description: 'Unique name.', examples: ['garden'] }),
    fid: nullable(Fid),
    mini_app_domain: nullable(
      Type.String({
        description: 'Host of its mini app, in lowercase ASCII.',
        examples: ['garden.example.com'],
      }),
    ),
    events_url: Type.String({
      description:
        'URL that clients send events of its users to: the `webhookUrl` of its manifest. Only the path if the public ' +
        'URL of the server is unknown.',
      examples: ['https://plaza.example.com/f/app/0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55/event'],
    }),
    developer_uuid: { ...Uuid, description: 'Developer of the app. Several apps may share it.' },
    authorized_origins: Type.Array(Type.String(), {
      description: 'Origins, and schemes of deep links, that may receive the result of a browser sign-in.',
      examples: [['https://garden.example.com']],
    }),
    sign_in_permission: textEnum(['read_only', 'read_and_write'], {
      description: 'What a browser sign-in requests from users.',
      examples: ['read_and_write'],
    }),
    has_custody_key: Type.Boolean({
      description: 'Whether the server holds the custody key of `fid`, which signs requests for signers.',
      examples: [true],
    }),
    key_count: Type.Integer({ minimum: 0, description: 'Number of active keys.', examples: [1] }),
    created_at: DateTime,
  },
  { $id: 'App', description: 'Client of the API, with keys and data of its own.' },
)
export type AppJson = Static<typeof App>

export const AppResponse = namedObject('AppResponse', { app: App })
export const AppsResponse = namedObject('AppsResponse', { apps: Type.Array(App), next: NextCursor })

/** An API key without its secret part. */
export const ApiKey = Type.Object(
  {
    object: Type.Literal('api_key'),
    id: Type.Integer({ format: 'int32', minimum: 1, examples: [7] }),
    app_id: Uuid,
    prefix: Type.String({ description: 'First characters, to tell keys apart.', examples: ['plaza_8f2Kq'] }),
    rate_limit: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Requests per minute. 0: no limit. null: the default limit of the server.',
        examples: [600],
      }),
    ),
    created_at: DateTime,
    last_used_at: nullable({ ...DateTime, description: 'Precise to a minute.' }),
    revoked_at: nullable(DateTime, { examples: [null] }),
  },
  { $id: 'ApiKey', description: 'API key without its secret part.' },
)
export type ApiKeyJson = Static<typeof ApiKey>

export const ApiKeyResponse = namedObject('ApiKeyResponse', { api_key: ApiKey })
export const ApiKeysResponse = namedObject('ApiKeysResponse', {
  api_keys: Type.Array(ApiKey),
  next: NextCursor,
})
export const NewApiKeyResponse = namedObject('NewApiKeyResponse', {
  api_key: ApiKey,
  key: Type.String({
    description: 'The key itself. Only its hash is stored.',
    examples: ['plaza_8f2KqW1vTz0R4yXnB7cLd9sGh3'],
  }),
})
