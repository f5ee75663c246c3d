import { type Static, Type } from '@sinclair/typebox'
import {
  Count,
  DateTime,
  namedObject,
  nullable,
  textEnum,
  Uuid,
} from '../../../graph/view/schema/primitives.js'

const ConfigurationEntry = Type.Object(
  {
    object: Type.Literal('configuration_entry'),
    name: Type.String({ examples: ['API_RATE_LIMIT'] }),
    task: Type.String({ description: 'What it is for.', examples: ['Serve the main API'] }),
    description: Type.String({ examples: ['Requests per minute of a key.'] }),
    source: textEnum(['environment', 'default', 'not set'], { examples: ['environment'] }),
    is_secret: Type.Boolean({ description: 'Its value is never shown.', examples: [false] }),
    value: nullable(Type.String({ examples: ['600'] }), {
      description: 'As it is used; null for a secret, and where there is none.',
    }),
    default: nullable(Type.String({ examples: ['300'] }), {
      description: 'In Markdown where it is computed.',
    }),
  },
  { $id: 'ConfigurationEntry', description: 'An environment variable as the process has read it.' },
)
export type ConfigurationEntry = Static<typeof ConfigurationEntry>

export const ConfigurationResponse = namedObject('ConfigurationResponse', {
  variables: Type.Array(ConfigurationEntry),
})

const CacheState = Type.Object(
  {
    object: Type.Literal('cache'),
    name: Type.String({ examples: ['users'] }),
    lookups: Type.Integer({ minimum: 0, examples: [1200] }),
    hit_share: nullable(Type.Number({ minimum: 0, maximum: 1, examples: [0.97] }), {
      description: 'Share of lookups that found something; null without lookups.',
    }),
    entries: nullable(Count, { description: 'null where they are not counted.' }),
    bytes: nullable(Type.Integer({ format: 'int64', minimum: 0, examples: [1_048_576] }), {
      description: 'null where they are not counted.',
    }),
  },
  { $id: 'CacheState', description: 'A cache of the process that replies, since its start.' },
)
export type CacheState = Static<typeof CacheState>

export const SystemResponse = namedObject('SystemResponse', {
  migrations: Type.Array(
    Type.Object(
      {
        object: Type.Literal('migration'),
        name: Type.String({ examples: ['0120_console'] }),
        state: textEnum(['applied', 'pending', 'newer'], {
          description: '`newer`: applied by a newer version.',
          examples: ['applied'],
        }),
        applied_at: nullable(DateTime),
      },
      { $id: 'Migration', description: 'A change of the schema.' },
    ),
  ),
  partitions: Type.Array(
    Type.Object(
      {
        object: Type.Literal('partition'),
        table: Type.String({ examples: ['hub.events'] }),
        name: Type.String({ examples: ['hub.events_2026_05_01'] }),
        bounds: Type.String({ examples: ["FOR VALUES FROM ('2026-05-01') TO ('2026-05-02')"] }),
        bytes: Type.Integer({ format: 'int64', minimum: 0, examples: [52_428_800] }),
        rows: { ...Type.Integer({ minimum: 0, examples: [420_000] }), description: 'Estimated.' },
      },
      { $id: 'Partition', description: 'A part of a table.' },
    ),
  ),
  caches: Type.Array(CacheState),
})

export const JobsResponse = namedObject('JobsResponse', {
  jobs: Type.Array(
    Type.Object(
      {
        object: Type.Literal('job'),
        name: Type.String({ examples: ['search lists'] }),
        process_id: Uuid,
        host: Type.String({ examples: ['plaza-1'] }),
        pid: Type.Integer({ minimum: 1, examples: [4711] }),
        every_ms: Type.Integer({ minimum: 0, examples: [60_000] }),
        per_process: Type.Boolean({
          description: 'Every process runs it; otherwise one does, of those with its role.',
          examples: [false],
        }),
        runs: Type.Integer({ minimum: 0, description: 'Since the start of the process.', examples: [12] }),
        failures: Type.Integer({ minimum: 0, description: 'Of these.', examples: [0] }),
        started_at: DateTime,
        duration_ms: nullable(Type.Number({ minimum: 0, examples: [4.2] }), {
          description: 'Of the last run; null while the first goes on.',
        }),
        next_at: nullable(DateTime, { description: 'null while it runs.' }),
        error: nullable(Type.String(), { description: 'Of the last run that failed.', examples: [null] }),
        failed_at: nullable(DateTime, { examples: [null] }),
      },
      { $id: 'Job', description: 'What a process repeats.' },
    ),
  ),
})
