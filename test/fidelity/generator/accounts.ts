import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const seedOf = (name: string) => createHash('sha256').update(name).digest()

/** An Ed25519 key that depends only on its name. */
export class Ed25519Key {
  readonly publicKey: Buffer
  private readonly key: KeyObject

  constructor(name: string) {
    this.key = createPrivateKey({
      key: Buffer.concat([PKCS8_PREFIX, seedOf(name)]),
      format: 'der',
      type: 'pkcs8',
    })
    this.publicKey = Buffer.from(createPublicKey(this.key).export({ format: 'jwk' }).x!, 'base64url')
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.key)
  }
}

/** An Ethereum account that depends only on its name. */
export class EthAccount {
  readonly address: Buffer
  private readonly privateKey: Buffer

  constructor(name: string) {
    this.privateKey = seedOf(name)
    const point = secp256k1.getPublicKey(this.privateKey, false)
    this.address = Buffer.from(keccak_256(point.subarray(1)).subarray(12))
  }

  /** 65 bytes; the last one is 27 or 28. */
  sign(digest: Uint8Array): Buffer {
    const signature = secp256k1.sign(digest, this.privateKey)
    return Buffer.from([...signature.toCompactRawBytes(), 27 + signature.recovery])
  }
}
