import { describe, expect, it } from 'vitest'
import { HashScheme, MessageData, MessageType, SignatureScheme } from './definitions.js'
import { messageHash } from './hash.js'
import { createMessageSigner } from './sign.js'
import { sampleData } from './testing/sample-messages.js'

/** Test 1 of RFC 8032 §7.1. */
const vector = {
  privateKey: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  signature:
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
}

describe('createMessageSigner', () => {
  const signerOfVector = () => createMessageSigner(Buffer.from(vector.privateKey, 'hex'))

  it('signs the vector of RFC 8032', () => {
    const signer = signerOfVector()
    expect(signer.publicKey.toString('hex')).toBe(vector.publicKey)
    expect(signer.signHash(Buffer.alloc(0)).toString('hex')).toBe(vector.signature)
  })

  it('signs the hash of the encoded data', () => {
    const signer = signerOfVector()
    const data = sampleData(MessageType.CAST_REMOVE, { castRemoveBody: { targetHash: Buffer.alloc(20, 1) } })
    const message = signer.sign(data)
    const hash = messageHash(message.dataBytes)
    expect(MessageData.decode(message.dataBytes)).toEqual(data)
    expect(message).toMatchObject({
      data,
      hash,
      hashScheme: HashScheme.BLAKE3,
      signature: signer.signHash(hash),
      signatureScheme: SignatureScheme.ED25519,
      signer: signer.publicKey,
    })
  })
})
