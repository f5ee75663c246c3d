import { expect, test } from 'vitest'
import { TestChannel } from '../../../../test/channels.js'
import { TestUser } from '../../../../test/network.js'
import { encodeMessage } from '../../../protocol/codec.js'
import { CastingMode, ChannelMemberAction } from '../../../protocol/definitions.js'
import { storedMessageJson } from './message.js'
import { readMessageJson } from './read-message.js'

const user = new TestUser(1)
const channel = new TestChannel('plaza')
const channelId = `0x${channel.id.toString('hex')}`
const castHash = `0x${'07'.repeat(20)}`

test.each([
  [
    channel.update(user, { name: '', rules: 'be kind', castingMode: CastingMode.MEMBERS_ONLY }),
    {
      channelUpdateBody: {
        channelId,
        name: '',
        rules: 'be kind',
        castingMode: 'CASTING_MODE_MEMBERS_ONLY',
      },
    },
  ],
  [
    channel.member(user, ChannelMemberAction.ADD_MODERATOR, 7),
    { channelMemberBody: { channelId, fid: 7, action: 'CHANNEL_MEMBER_ACTION_ADD_MODERATOR' } },
  ],
  [channel.pin(user, Buffer.alloc(20, 7)), { channelPinBody: { channelId, castHash } }],
  [
    channel.moderate(user, Buffer.alloc(20, 7)),
    { channelModerateBody: { channelId, castHash, action: 'CHANNEL_MODERATE_ACTION_HIDE' } },
  ],
])(
  'a channel message in JSON has full names, and is read back to the bytes that were signed',
  (message, body) => {
    const json = JSON.parse(JSON.stringify(storedMessageJson(encodeMessage(message))))
    const { type: _type, fid: _fid, timestamp: _timestamp, network: _network, ...bodies } = json.data
    expect(bodies).toEqual(body)
    expect(readMessageJson(json)).toEqual(message)
  },
)
