import { addressOfAuthKey } from '../../protocol/auth-key.js'
import { hexOf } from '../../protocol/bytes.js'
import type { DeveloperManagedAuthAddress, DeveloperManagedSigner, Signer } from './schema/signer.js'

/** The state of a key that an app requested: the source of views. */
export interface PresentedKey {
  readonly id: string
  readonly publicKey: Buffer
  readonly status: Signer['status']
  readonly fid: number | null
  /** Null permits everything. */
  readonly permissions: Signer['permissions'] | null
  readonly approvalToken: string | null
}

/** The view of a signer whose private key this server holds. */
export function presentSigner(key: PresentedKey, publicUrl: string): Signer {
  const url = approvalUrlOf(key, publicUrl)
  return {
    object: 'signer',
    signer_uuid: key.id,
    public_key: `0x${key.publicKey.toString('hex')}`,
    status: key.status,
    permissions: key.permissions ?? ['WRITE_ALL'],
    ...(key.fid === null ? {} : { fid: key.fid }),
    ...(url === null ? {} : { signer_approval_url: url }),
  }
}

/** The view of a key whose private key the developer holds. */
export function presentDeveloperManagedSigner(key: PresentedKey, publicUrl: string): DeveloperManagedSigner {
  const url = approvalUrlOf(key, publicUrl)
  return {
    public_key: `0x${key.publicKey.toString('hex')}`,
    status: keyRequestStatus(key),
    ...(key.fid === null ? {} : { fid: key.fid }),
    ...(url === null ? {} : { signer_approval_url: url }),
  }
}

/** The view of an address that may sign in for a user. Its key is one of `authKeysOf`. */
export function presentAuthAddress(key: PresentedKey, publicUrl: string): DeveloperManagedAuthAddress {
  const url = approvalUrlOf(key, publicUrl)
  return {
    address: hexOf(addressOfAuthKey(key.publicKey)!),
    status: keyRequestStatus(key),
    ...(key.fid === null ? {} : { fid: key.fid }),
    ...(url === null ? {} : { auth_address_approval_url: url }),
  }
}

/** A developer-managed key is stored only because it was requested. */
function keyRequestStatus({ status }: PresentedKey): DeveloperManagedSigner['status'] {
  if (status === 'generated') throw new Error('a developer-managed key has no key request')
  return status
}

function approvalUrlOf({ status, approvalToken }: PresentedKey, publicUrl: string): string | null {
  return status === 'pending_approval' && approvalToken !== null
    ? `${publicUrl}/approve/${approvalToken}`
    : null
}
