import { type Static, Type } from '@sinclair/typebox'
import { Count, DateTime, namedObject, textEnum } from './primitives.js'
import { ServerProcess } from './process.js'

const Milliseconds = Type.Number({ minimum: 0, description: 'Milliseconds.', examples: [4.2] })

/** How long the requests of an operation took. */
const OperationTimes = Type.Object(
  {
    object: Type.Literal('operation_times'),
    operation: Type.String({ examples: ['GET /v2/farcaster/feed'] }),
    requests: Type.Integer({ minimum: 0, description: 'Since the start of the process.', examples: [1200] }),
    failures: Type.Integer({ minimum: 0, description: 'Of these, replies of 500 and above.', examples: [0] }),
    p50_ms: Milliseconds,
    p99_ms: Milliseconds,
  },
  { $id: 'OperationTimes', description: 'How long the requests of an operation took in one process.' },
)
export type OperationTimes = Static<typeof OperationTimes>

export const OverviewResponse = namedObject('OverviewResponse', {
  at: DateTime,
  version: Type.String({ description: 'Of the process that replies.', examples: ['0.1.0'] }),
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
  database: Type.Object(
    {
      bytes: Type.Integer({ minimum: 0, examples: [52_428_800] }),
      version: Type.String({ examples: ['18.4'] }),
    },
    { $id: 'DatabaseState', description: 'The database of the server.' },
  ),
})
