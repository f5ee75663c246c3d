import { expect, it } from 'vitest'
import { MessageType } from './definitions.js'
import { ADMISSIBLE_KEY_ADD_SCOPES } from './key-rules.js'
import { messageKinds } from './message-kinds.js'

it('a KEY_ADD may allow its key to sign every type but those of keys and channels', () => {
  const refused = messageKinds
    .map(({ type }) => type)
    .filter((type) => !ADMISSIBLE_KEY_ADD_SCOPES.includes(type))
  expect(refused.map((type) => MessageType[type])).toEqual([
    'KEY_ADD',
    'KEY_REMOVE',
    'CHANNEL_UPDATE',
    'CHANNEL_MEMBER',
    'CHANNEL_PIN',
    'CHANNEL_MODERATE',
  ])
})
