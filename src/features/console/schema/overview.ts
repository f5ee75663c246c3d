import { type Static, Type } from '@sinclair/typebox'
import { Count, DateTime, namedObject, nullable, textEnum } from '../../../graph/view/schema/primitives.js'
import { ServerProcess } from '../../processes/schema/process.js'

const Milliseconds = Type.Number({ minimum: 0, description: 'Milliseconds.', examples: [4.2] })

/** How long the requests of an operation took. */
const OperationTimes = Type.Object(
  {
    object: Type.Literal('operation_times'),
    operation: Type.String({ examples: ['GET /v2/farcaster/feed'] }),
    requests: Type.Integer({ minimum: 0, description: 'Since the start of each process.', examples: [1200] }),
    failures: Type.Integer({
      minimum: 0,
      description: 'Of these, replies of 500 and above, without 501.',
      examples: [0],
    }),
    p50_ms: Milliseconds,
    p99_ms: Milliseconds,
  },
  {
    $id: 'OperationTimes',
    description: 'How long the requests of an operation took, in all live processes.',
  },
)
export type OperationTimes = Static<typeof OperationTimes>

const Rates = Type.Array(Type.Number({ minimum: 0, examples: [12.5] }), { maxItems: 360 })

const Activity = Type.Object(
  {
    object: Type.Literal('activity'),
    every_seconds: Type.Integer({ minimum: 1, description: 'Between two values.', examples: [10] }),
    until: nullable(
      Type.String({ format: 'date-time', description: 'Time of the last value. null: there is none yet.' }),
      { examples: DateTime.examples as string[] },
    ),
    messages_per_second: Rates,
    events_per_second: Rates,
  },
  {
    $id: 'Activity',
    description:
      'What the hub stored in the last hour, since the process that replies was started. The last value is the newest.',
  },
)

const Seconds = Type.Integer({ minimum: 0, examples: [3_600] })

const SyncState = Type.Object(
  {
    shards: Type.Array(
      Type.Object(
        {
          object: Type.Literal('synced_shard'),
          upstream: Type.String({ examples: ['hub.example:3383'] }),
          shard: Type.Integer({ minimum: 0, examples: [1] }),
          behind_seconds: Seconds,
        },
        {
          $id: 'SyncedShard',
          description: 'A shard of an upstream, and the age of its newest merged block.',
        },
      ),
    ),
    backfill: Type.Object(
      { fetched: Count, remaining: Count, seconds_left: nullable(Seconds) },
      {
        $id: 'BackfillState',
        description: 'Users of the backfill. `seconds_left` is null while none are fetched.',
      },
    ),
    seconds_left: nullable(
      Type.Integer({
        minimum: 0,
        description:
          'Until the end of the log of the upstream, at the pace of the last minutes. null: not known.',
        examples: [0],
      }),
    ),
  },
  { $id: 'SyncState', description: 'How far the server is behind its upstream.' },
)

const Errors = Type.Object(
  {
    last_hour: Type.Array(
      Type.Object(
        {
          object: Type.Literal('error_count'),
          kind: Type.String({ examples: ['GET /v2/farcaster/feed replied 500'] }),
          count: Count,
        },
        { $id: 'ErrorCount', description: 'Failures of one kind in the last hour.' },
      ),
    ),
    recent: Type.Array(
      Type.Object(
        {
          object: Type.Literal('recent_error'),
          at: DateTime,
          kind: Type.String({ examples: ['a scheduled job failed: score'] }),
          message: Type.String({ examples: ['canceling statement due to statement timeout'] }),
          trace_id: Type.Optional(
            Type.String({
              description: 'Trace of the work that failed, where it was recorded.',
              examples: ['0af7651916cd43dd8448eb211c80319c'],
            }),
          ),
        },
        {
          $id: 'RecentError',
          description: 'One of the last failures. What may be secret is replaced by `…`.',
        },
      ),
      { maxItems: 20 },
    ),
  },
  {
    $id: 'ServerErrors',
    description: 'Replies of 500 and above, without 501, and failed jobs, of all live processes.',
  },
)

const Bytes = Type.Integer({ format: 'int64', minimum: 0, examples: [52_428_800] })

export const OverviewResponse = namedObject('OverviewResponse', {
  at: DateTime,
  version: Type.String({ description: 'Of the process that replies.', examples: ['0.2.0'] }),
  ready: Type.Boolean({ examples: [true] }),
  problems: Type.Array(
    Type.String({
      description: 'Why it is not ready, or what is missing.',
      examples: ['no process has the role sync'],
    }),
  ),
  processes: Type.Array(ServerProcess),
  counters: Type.Object(
    {
      messages: Type.Integer({
        minimum: 0,
        description:
          'Messages that the hub has stored since PostgreSQL began to count. Its difference is a rate.',
        examples: [420_000],
      }),
      casts: Type.Integer({
        minimum: 0,
        description: 'Casts of the read model, estimated.',
        examples: [120_000],
      }),
      users: Type.Integer({
        minimum: 0,
        description: 'Users of the read model, estimated.',
        examples: [5_000],
      }),
    },
    { $id: 'OverviewCounters', description: 'Sizes of the network.' },
  ),
  activity: Activity,
  consumers: Type.Array(
    Type.Object(
      {
        object: Type.Literal('consumer'),
        name: Type.String({ examples: ['webhooks'] }),
        shard: Type.Integer({ minimum: 0, examples: [1] }),
        blocks_behind: Count,
      },
      { $id: 'ConsumerLag', description: 'A consumer of the event log.' },
    ),
  ),
  queues: Type.Array(
    Type.Object(
      {
        object: Type.Literal('queue'),
        name: textEnum(['webhook deliveries', 'notification tokens'], { examples: ['webhook deliveries'] }),
        state: Type.String({ examples: ['waiting'] }),
        count: Count,
      },
      { $id: 'QueueDepth', description: 'What waits, by state. Large numbers are counted up to a bound.' },
    ),
  ),
  operations: Type.Array(OperationTimes),
  errors: Errors,
  sync: nullable(SyncState, { description: 'null: nothing was merged from an upstream.' }),
  database: Type.Object(
    {
      bytes: Bytes,
      version: Type.String({ examples: ['18.4'] }),
      growth_bytes_per_day: nullable(
        Type.Integer({
          format: 'int64',
          description: 'Of the last week. null: not known yet.',
          examples: [1_048_576],
        }),
      ),
      tables: Type.Array(
        Type.Object(
          {
            object: Type.Literal('table_size'),
            name: Type.String({ examples: ['hub.messages'] }),
            bytes: Bytes,
            rows: Type.Integer({ minimum: 0, description: 'Estimated.', examples: [420_000] }),
          },
          { $id: 'TableSize', description: 'A table with its indexes and partitions.' },
        ),
        { description: 'The largest ones.' },
      ),
      history: Type.Array(
        Type.Object(
          { at: DateTime, bytes: Bytes },
          { $id: 'DatabaseSize', description: 'The size of the database at the end of a day.' },
        ),
        { description: 'The last 90 days, oldest first.' },
      ),
    },
    { $id: 'DatabaseState', description: 'The database of the server.' },
  ),
})
