import { expect, it } from 'vitest'
import { TestUser, testNow } from '../../../../test/network.js'
import { messageJson } from '../../../hub/methods/json/message.js'
import { toProtobuf } from '../../../protocol/codec.js'
import { Message } from '../../../protocol/definitions.js'
import { bodyOf, createPublishingNetwork } from './testing/publishing-network.js'

const { api, users } = await createPublishingNetwork()
const [alice, bob] = users
const send = (message: object) => api.send('POST', 'message', JSON.parse(JSON.stringify(message)))
const hashOf = (message: { hash: Buffer }) => `0x${message.hash.toString('hex')}`

it('publishes a signed message of any author', async () => {
  const cast = alice.cast('signed at home', testNow - 10)
  const json = messageJson(toProtobuf(cast))
  expect(bodyOf(await send(json))).toEqual(json)
  const read = await api.get('cast', { identifier: hashOf(cast), type: 'hash' })
  expect(bodyOf(read).cast.text).toBe('signed at home')
})

it('accepts the JSON of the protocol’s library', async () => {
  const cast = bob.cast('by the library', testNow - 9)
  const { data } = cast
  expect(bodyOf(await send(Message.toJSON({ ...toProtobuf(cast), data }) as object)).hash).toBe(hashOf(cast))
})

it.each([
  ['no message', {}, 'bad_request.parse_failure'],
  ['a changed one', () => changed('another text'), 'bad_request.validation_failure'],
  ['one of a stranger', () => jsonOf(new TestUser(99).cast('hi', testNow)), 'bad_request.validation_failure'],
  [
    'one of another key',
    () => jsonOf(new TestUser(1, 'other').cast('hi', testNow)),
    'bad_request.validation_failure',
  ],
  [
    'one that is there already',
    () => jsonOf(alice.cast('signed at home', testNow - 10)),
    'bad_request.duplicate',
  ],
])('refuses %s, in the words of the hub', async (_, message, code) => {
  const reply = await send(typeof message === 'function' ? message() : message)
  expect([reply.statusCode, reply.json().code]).toEqual([400, code])
})

function jsonOf(message: Parameters<typeof toProtobuf>[0]) {
  return messageJson(toProtobuf(message))
}

function changed(text: string) {
  const json = JSON.parse(JSON.stringify(jsonOf(alice.cast('a text', testNow))))
  json.data.castAddBody.text = text
  return json
}
