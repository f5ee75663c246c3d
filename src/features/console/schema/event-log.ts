import { type Static, Type } from '@sinclair/typebox'
import {
  DateTime,
  NextCursor,
  namedObject,
  nullable,
  textEnum,
} from '../../../graph/view/schema/primitives.js'

const eventId = Type.String({ description: 'Shard and id within it.', examples: ['1:1097744'] })

const LoggedEvent = Type.Object(
  {
    object: Type.Literal('event'),
    id: eventId,
    shard: Type.Integer({ minimum: 0, examples: [1] }),
    at: nullable(Type.String({ format: 'date-time', description: 'Time of its block.' }), {
      examples: DateTime.examples as string[],
    }),
    type: Type.String({ description: 'Without `HUB_EVENT_TYPE_`.', examples: ['MERGE_MESSAGE'] }),
    fid: nullable(Type.Integer({ minimum: 0 }), { examples: [3] }),
    message_type: nullable(Type.String({ description: 'Without `MESSAGE_TYPE_`.' }), {
      examples: ['CAST_ADD'],
    }),
    hash: nullable(Type.String({ description: 'Of its message.' }), {
      examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
    }),
    summary: Type.String({
      description: 'The beginning of a text, or what the event is about.',
      examples: ['The first tomatoes are ripe.'],
    }),
  },
  { $id: 'LoggedEvent', description: 'An event of the log of the hub.' },
)
export type LoggedEventJson = Static<typeof LoggedEvent>

export const EventLogResponse = namedObject('EventLogResponse', {
  events: Type.Array(LoggedEvent),
  position: Type.String({
    description:
      'The end of the log before the page was read: `after` of `/admin/stream`, which sends the events that follow.',
    examples: ['1097744.9f1c02ab'],
  }),
  next: NextCursor,
})

const MessageCheck = Type.Object(
  {
    object: Type.Literal('message_check'),
    hash_is_valid: Type.Boolean({ description: 'It is the hash of the signed data.', examples: [true] }),
    signature_is_valid: Type.Boolean({
      description: 'It is a signature of the hash by the signer.',
      examples: [true],
    }),
    claim_is_valid: nullable(
      Type.Boolean({ description: 'Of a wallet or a key that the body names. null: it names none.' }),
      { examples: [null] },
    ),
    problem: nullable(Type.String({ description: 'In the words of the hub.' }), { examples: [null] }),
    signer: Type.String({ examples: [`0x${'4e7d'.repeat(16)}`] }),
    signer_state: textEnum(['active', 'removed', 'unknown', 'by message', 'expired'], {
      description:
        'Whether the key may sign for the user now: `active` or `removed` on chain, `by message` for one that the user ' +
        'granted by a message, `expired` when such a key was not used for longer than its time, `unknown` for any other.',
      examples: ['active'],
    }),
  },
  { $id: 'MessageCheck', description: 'What a check of a message has found, made for this request.' },
)
export type MessageCheck = Static<typeof MessageCheck>

export const EventResponse = namedObject('EventResponse', {
  event: LoggedEvent,
  decoded: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'All fields, in the JSON of the hub API.',
      examples: [{ type: 'HUB_EVENT_TYPE_MERGE_MESSAGE', id: 1_097_744 }],
    },
  ),
  bytes: Type.Integer({ minimum: 0, description: 'Of the event as it is stored.', examples: [312] }),
  check: nullable(MessageCheck),
})
