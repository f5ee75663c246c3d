import { expect, test } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { createRecordingLog } from '../../../../test/sync/test-sync.js'
import { RefusedMessageLog } from './refused-message-log.js'

test('a minute has ten lines, and the next one begins with the number of the others', () => {
  let nowMs = 0
  const log = createRecordingLog()
  const refusedLog = new RefusedMessageLog(log, () => nowMs)
  const cast = new TestUser(1).cast('refused', testNow)
  const reason = { code: 'bad_request.validation_failure', text: 'invalid signer' }
  for (let n = 0; n < 25; n += 1) refusedLog.add(cast, reason)
  nowMs = 59_999
  refusedLog.flush()
  expect(log.lines).toHaveLength(10)
  nowMs = 60_000
  refusedLog.add(cast, reason)
  expect(log.lines.slice(10)).toEqual([
    { message: 'the upstream refused more messages in the last minute', fields: { messages: 15 } },
    {
      message: 'the upstream refused a message that was published here',
      fields: { fid: 1, hash: `0x${cast.hash.toString('hex')}`, code: reason.code, reason: reason.text },
    },
  ])
})
