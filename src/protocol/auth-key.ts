import { ETH_ADDRESS_BYTES } from './bytes.js'

/**
 * Keys of the type KEY_TYPE_AUTH: an address that signs in for its user (docs/protocol.md §4.10). A registry has each as
 * it was added: the 20 bytes of the address, or its ABI word, with 12 zero bytes in front.
 */

const padding = Buffer.alloc(12)

/** Returns the key that is requested for an address (20 bytes): its ABI word. */
export function authKeyOf(address: Uint8Array): Buffer {
  return Buffer.concat([padding, address])
}

/** Returns the keys that an address (20 bytes) may have in a registry. */
export function authKeysOf(address: Buffer): [Buffer, Buffer] {
  return [address, authKeyOf(address)]
}

/** Returns the address of a key, 20 bytes; null for a key of neither form. */
export function addressOfAuthKey(key: Uint8Array): Uint8Array | null {
  const address = key.subarray(-ETH_ADDRESS_BYTES)
  const front = key.subarray(0, -ETH_ADDRESS_BYTES)
  if (address.length < ETH_ADDRESS_BYTES) return null
  return front.length === 0 || padding.equals(front) ? address : null
}
