import { Type } from '@sinclair/typebox'
import { integer, text } from './variable.js'

/** Variables of the AI endpoint. */
export const aiVariables = {
  AI_BASE_URL: Type.Optional(
    text(
      'Endpoint that speaks the protocol of the OpenAI API, up to its version: `https://api.openai.com/v1`, ' +
        '`http://127.0.0.1:11434/v1`. Unset: nothing is sent to any model.',
      {
        pattern: '^(https://[^\\s/@]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?)(/[^\\s?#]*)?$',
        patternText: 'an https URL, or an http URL on this machine, without a query',
      },
    ),
  ),
  AI_API_KEY: Type.Optional(
    text('Key of the endpoint, sent as `Authorization: Bearer`.', {
      pattern: '^[\\x21-\\x7e]+$',
      patternText: 'a key without spaces',
      secret: true,
    }),
  ),
  AI_CHAT_MODEL: Type.Optional(
    text('Model that writes summaries and describes topics. Unset: summaries quote the casts.', {}),
  ),
  AI_EMBEDDING_MODEL: Type.Optional(
    text(
      'Model that computes the meaning of casts, for `mode=semantic` and `mode=hybrid` of `cast/search`. ' +
        'Unset: both are 501.',
      {},
    ),
  ),
  AI_DAILY_LIMIT: integer(
    'Maximum number of requests to the endpoint in a UTC day, of all processes. The embedding of casts ' +
      'uses at most half of it.',
    { minimum: 0, maximum: 10_000_000, default: 2_000 },
  ),
  AI_RATE_LIMIT: integer(
    'Requests to the endpoint that an API key may cause in a minute; cached answers do not count. 0 is no limit.',
    { minimum: 0, maximum: 1_000_000, default: 20 },
  ),
  AI_TIMEOUT_MS: integer('Milliseconds that the endpoint may take to answer.', {
    minimum: 100,
    maximum: 120_000,
    default: 20_000,
  }),
}
