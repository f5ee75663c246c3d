import { describe, expect, it } from 'vitest'
import { Message, MessageData } from '../../../protocol/definitions.js'
import { messageJson } from './message.js'

const hash = Buffer.from('1111111111111111111111111111111111111111', 'hex')
const otherHash = Buffer.from('2222222222222222222222222222222222222222', 'hex')
const address = Buffer.from('abababababababababababababababababababab', 'hex')

/** The JSON text of a message with `data`: the order of keys counts. */
function shown(data: Partial<MessageData>): string {
  const dataBytes = MessageData.encode(
    MessageData.create({ fid: 310826, timestamp: 159000000, network: 1, ...data }),
  ).finish()
  const message = Message.create({
    hash,
    hashScheme: 1,
    signature: Buffer.from([251, 255, 0]),
    signatureScheme: 1,
    signer: Buffer.from('0a0b', 'hex'),
    dataBytes,
  })
  return JSON.stringify(messageJson(Message.decode(Buffer.from(Message.encode(message).finish()))))
}

/** The members around every body of these tests. */
function around(type: string, body: string): string {
  return (
    `{"data":{"type":"${type}","fid":310826,"timestamp":159000000,"network":"FARCASTER_NETWORK_MAINNET",` +
    `${body}},"hash":"0x1111111111111111111111111111111111111111","hashScheme":"HASH_SCHEME_BLAKE3",` +
    `"signature":"+/8A","signatureScheme":"SIGNATURE_SCHEME_ED25519","signer":"0x0a0b"}`
  )
}

describe('the JSON of a message', () => {
  it('has both parents of a cast, null when absent', () => {
    expect(
      shown({
        type: 1,
        castAddBody: {
          embedsDeprecated: [],
          mentions: [2, 3],
          text: 'hé "x"',
          mentionsPositions: [0, 1],
          embeds: [{ url: 'https://a.b' }, { castId: { fid: 9, hash: otherHash } }],
          type: 1,
        },
      }),
    ).toBe(
      around(
        'MESSAGE_TYPE_CAST_ADD',
        '"castAddBody":{"embedsDeprecated":[],"mentions":[2,3],"parentCastId":null,"parentUrl":null,' +
          '"text":"hé \\"x\\"","embeds":[{"url":"https://a.b"},{"castId":{"fid":9,' +
          '"hash":"0x2222222222222222222222222222222222222222"}}],"mentionsPositions":[0,1],"type":"LONG_CAST"}',
      ),
    )
  })

  it('has the parent of a reply, a cast or a URL', () => {
    const reply = {
      embedsDeprecated: ['https://old'],
      mentions: [],
      text: '',
      mentionsPositions: [],
      embeds: [],
    }
    expect(
      shown({ type: 1, castAddBody: { ...reply, parentCastId: { fid: 7, hash: otherHash }, type: 0 } }),
    ).toBe(
      around(
        'MESSAGE_TYPE_CAST_ADD',
        '"castAddBody":{"embedsDeprecated":["https://old"],"mentions":[],"parentCastId":{"fid":7,' +
          '"hash":"0x2222222222222222222222222222222222222222"},"parentUrl":null,"text":"","embeds":[],' +
          '"mentionsPositions":[],"type":"CAST"}',
      ),
    )
    expect(shown({ type: 1, castAddBody: { ...reply, parentUrl: 'https://c', type: 2 } })).toBe(
      around(
        'MESSAGE_TYPE_CAST_ADD',
        '"castAddBody":{"embedsDeprecated":["https://old"],"mentions":[],"parentCastId":null,' +
          '"parentUrl":"https://c","text":"","embeds":[],"mentionsPositions":[],"type":"TEN_K_CAST"}',
      ),
    )
  })

  it('has the target of a cast removal in base64', () => {
    expect(shown({ type: 2, castRemoveBody: { targetHash: otherHash } })).toBe(
      around('MESSAGE_TYPE_CAST_REMOVE', '"castRemoveBody":{"targetHash":"IiIiIiIiIiIiIiIiIiIiIiIiIiI="}'),
    )
  })

  it('leaves out the absent target of a reaction', () => {
    expect(shown({ type: 3, reactionBody: { type: 1, targetCastId: { fid: 5, hash: otherHash } } })).toBe(
      around(
        'MESSAGE_TYPE_REACTION_ADD',
        '"reactionBody":{"type":"REACTION_TYPE_LIKE","targetCastId":{"fid":5,' +
          '"hash":"0x2222222222222222222222222222222222222222"}}',
      ),
    )
    expect(shown({ type: 4, reactionBody: { type: 2, targetUrl: 'https://x' } })).toBe(
      around(
        'MESSAGE_TYPE_REACTION_REMOVE',
        '"reactionBody":{"type":"REACTION_TYPE_RECAST","targetUrl":"https://x"}',
      ),
    )
  })

  it('has the display time of a link, or null', () => {
    expect(shown({ type: 5, linkBody: { type: 'follow', targetFid: 3 } })).toBe(
      around('MESSAGE_TYPE_LINK_ADD', '"linkBody":{"type":"follow","displayTimestamp":null,"targetFid":3}'),
    )
    expect(shown({ type: 6, linkBody: { type: 'follow', displayTimestamp: 12, targetFid: 3 } })).toBe(
      around('MESSAGE_TYPE_LINK_REMOVE', '"linkBody":{"type":"follow","displayTimestamp":12,"targetFid":3}'),
    )
  })

  it('has a link compact state', () => {
    expect(shown({ type: 14, linkCompactStateBody: { type: 'follow', targetFids: [3, 1] } })).toBe(
      around(
        'MESSAGE_TYPE_LINK_COMPACT_STATE',
        '"linkCompactStateBody":{"type":"follow","targetFids":[3,1]}',
      ),
    )
  })

  it('spells the two primary addresses without TYPE', () => {
    const spelled = (type: number) => JSON.parse(shown({ type: 11, userDataBody: { type, value: 'v' } })).data
    expect(shown({ type: 11, userDataBody: { type: 1, value: '' } })).toBe(
      around('MESSAGE_TYPE_USER_DATA_ADD', '"userDataBody":{"type":"USER_DATA_TYPE_PFP","value":""}'),
    )
    expect(spelled(11).userDataBody.type).toBe('USER_DATA_PRIMARY_ADDRESS_ETHEREUM')
    expect(spelled(12).userDataBody.type).toBe('USER_DATA_PRIMARY_ADDRESS_SOLANA')
    // The protocol library does not know this one yet.
    expect(spelled(14).userDataBody.type).toBe('USER_DATA_TYPE_LIVE_AT')
    expect(spelled(99).userDataBody.type).toBe('99')
  })

  it('encodes addresses as their chain does', () => {
    expect(
      shown({
        type: 7,
        verificationAddAddressBody: {
          address,
          claimSignature: Buffer.from([1]),
          blockHash: hash,
          verificationType: 1,
          chainId: 10,
          protocol: 0,
        },
      }),
    ).toBe(
      around(
        'MESSAGE_TYPE_VERIFICATION_ADD_ETH_ADDRESS',
        '"verificationAddAddressBody":{"address":"0xabababababababababababababababababababab",' +
          '"claimSignature":"AQ==","blockHash":"0x1111111111111111111111111111111111111111","type":1,' +
          '"chainId":10,"protocol":"PROTOCOL_ETHEREUM"}',
      ),
    )
    expect(shown({ type: 8, verificationRemoveBody: { address: Buffer.from([0, 1, 2]), protocol: 1 } })).toBe(
      around(
        'MESSAGE_TYPE_VERIFICATION_REMOVE',
        '"verificationRemoveBody":{"address":"15T","protocol":"PROTOCOL_SOLANA"}',
      ),
    )
  })

  it('has a username proof with Unix seconds and its name as text', () => {
    expect(
      shown({
        type: 12,
        usernameProofBody: {
          timestamp: 1700000000,
          name: Buffer.from('alice.eth'),
          owner: address,
          signature: Buffer.from([255]),
          fid: 310826,
          type: 2,
        },
      }),
    ).toBe(
      around(
        'MESSAGE_TYPE_USERNAME_PROOF',
        '"usernameProofBody":{"timestamp":1700000000,"name":"alice.eth",' +
          '"owner":"0xabababababababababababababababababababab","signature":"/w==","fid":310826,' +
          '"type":"USERNAME_TYPE_ENS_L1"}',
      ),
    )
  })

  it('has a frame action, with and without a cast', () => {
    const action = {
      url: Buffer.from('u'),
      buttonIndex: 2,
      castId: undefined,
      inputText: Buffer.alloc(0),
      state: Buffer.from('s'),
      transactionId: Buffer.alloc(0),
      address,
    }
    expect(shown({ type: 13, frameActionBody: action })).toBe(
      around(
        'MESSAGE_TYPE_FRAME_ACTION',
        '"frameActionBody":{"url":"dQ==","buttonIndex":2,"inputText":"","state":"cw==","transactionId":"",' +
          '"address":"0xabababababababababababababababababababab"}',
      ),
    )
  })

  it('spells storage units as the reference node does', () => {
    expect(shown({ type: 15, lendStorageBody: { toFid: 4, numUnits: 2, unitType: 2 } })).toBe(
      around(
        'MESSAGE_TYPE_LEND_STORAGE',
        '"lendStorageBody":{"toFid":4,"numUnits":2,"unitType":"UnitType2025"}',
      ),
    )
  })

  it('has key adds and removes in hex', () => {
    expect(
      shown({
        type: 16,
        keyAddBody: {
          key: Buffer.from([1]),
          keyType: 1,
          custodySignature: Buffer.from([2]),
          deadline: 5,
          nonce: 6,
          metadata: Buffer.from([3]),
          metadataType: 1,
          registrationTxHash: Buffer.alloc(0),
          scopes: [1, 3],
          ttl: 60,
        },
      }),
    ).toBe(
      around(
        'MESSAGE_TYPE_KEY_ADD',
        '"keyAddBody":{"key":"0x01","keyType":1,"custodySignature":"0x02","deadline":5,"nonce":6,' +
          '"metadata":"0x03","metadataType":1,"registrationTxHash":"0x",' +
          '"scopes":["MESSAGE_TYPE_CAST_ADD","MESSAGE_TYPE_REACTION_ADD"],"ttl":60}',
      ),
    )
    expect(
      shown({
        type: 17,
        keyRemoveBody: {
          key: Buffer.from([1]),
          signature: Buffer.from([9]),
          signatureType: 2,
          deadline: 5,
          nonce: 6,
        },
      }),
    ).toBe(
      around(
        'MESSAGE_TYPE_KEY_REMOVE',
        '"keyRemoveBody":{"key":"0x01","signature":"0x09","signatureType":2,"deadline":5,"nonce":6}',
      ),
    )
  })

  it('data that cannot be decoded -> null', () => {
    const broken = Message.create({ hash, hashScheme: 1, signatureScheme: 1, dataBytes: Buffer.from([255]) })
    expect(messageJson(broken)).toEqual({
      data: null,
      hash: '0x1111111111111111111111111111111111111111',
      hashScheme: 'HASH_SCHEME_BLAKE3',
      signature: '',
      signatureScheme: 'SIGNATURE_SCHEME_ED25519',
      signer: '0x',
    })
  })

  it('a message that is stored with data -> data, as dataBytes would be misread', () => {
    const message = Message.create({
      hash,
      data: MessageData.create({ fid: 1 }),
      dataBytes: MessageData.encode(MessageData.create({ fid: 2 })).finish(),
    })
    expect(messageJson(message).data).toMatchObject({ fid: 1 })
  })
})
