import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1'
import { keccak_256 } from '@noble/hashes/sha3'
import { rememberSignature } from '../judge/ed25519.js'
import { rememberAccount } from '../judge/typed-data.js'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519Keys = new Map<string, Ed25519Key>()

const seedOf = (name: string) => createHash('sha256').update(name).digest()

/** An Ed25519 key. */
export class Ed25519Key {
  readonly publicKey: Buffer

  private constructor(private readonly key: KeyObject) {
    this.publicKey = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url')
  }

  /** The key of a name. It is created once, which takes 0.4 ms. */
  static of(name: string): Ed25519Key {
    const known = ed25519Keys.get(name)
    if (known !== undefined) return known
    const der = Buffer.concat([PKCS8_PREFIX, seedOf(name)])
    const created = new Ed25519Key(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
    ed25519Keys.set(name, created)
    return created
  }

  /** Returns a signature of 64 bytes, which the judge then need not verify. */
  sign(message: Uint8Array): Buffer {
    const signature = sign(null, message, this.key)
    rememberSignature(signature, message, this.publicKey)
    return signature
  }
}

/** An Ethereum account that depends only on its name. */
export class EthAccount {
  private readonly privateKey: Buffer
  private knownAddress: Buffer | undefined

  constructor(name: string) {
    this.privateKey = seedOf(name)
  }

  /** Computed when it is first asked for, which takes a millisecond. */
  get address(): Buffer {
    if (this.knownAddress === undefined) {
      const point = secp256k1.getPublicKey(this.privateKey, false)
      this.knownAddress = Buffer.from(keccak_256(point.subarray(1)).subarray(12))
    }
    return this.knownAddress
  }

  /** 65 bytes; the last one is 27 or 28. */
  sign(digest: Uint8Array): Buffer {
    const signature = secp256k1.sign(digest, this.privateKey)
    const bytes = Buffer.from([...signature.toCompactRawBytes(), 27 + signature.recovery])
    rememberAccount(digest, bytes, this.address)
    return bytes
  }
}
