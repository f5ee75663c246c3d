import type { RegisteredSigner } from './schema/account.js'
import type { DeveloperManagedAuthAddress, DeveloperManagedSigner, Signer } from './schema/signer.js'

/** How a key that an app asked for stands: what views are made of. */
export interface PresentedKey {
  readonly id: string
  readonly publicKey: Buffer
  readonly status: Signer['status']
  readonly fid: number | null
  /** Null is everything. */
  readonly permissions: Signer['permissions'] | null
  readonly approvalToken: string | null
}

const ADDRESS_BYTES = 20

/** The view of a signer whose private half is here. */
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

/** The view of a signer that an account was registered with. */
export function presentRegisteredSigner(key: PresentedKey, publicUrl: string): RegisteredSigner {
  const { signer_uuid: uuid, ...signer } = presentSigner(key, publicUrl)
  return { ...signer, uuid }
}

/** The view of a key whose private half the developer holds. */
export function presentDeveloperManagedSigner(key: PresentedKey, publicUrl: string): DeveloperManagedSigner {
  const url = approvalUrlOf(key, publicUrl)
  return {
    public_key: `0x${key.publicKey.toString('hex')}`,
    status: keyRequestStatus(key),
    ...(key.fid === null ? {} : { fid: key.fid }),
    ...(url === null ? {} : { signer_approval_url: url }),
  }
}

/** The view of an address that may sign in for a user. */
export function presentAuthAddress(key: PresentedKey, publicUrl: string): DeveloperManagedAuthAddress {
  const url = approvalUrlOf(key, publicUrl)
  return {
    address: `0x${key.publicKey.subarray(-ADDRESS_BYTES).toString('hex')}`,
    status: keyRequestStatus(key),
    ...(key.fid === null ? {} : { fid: key.fid }),
    ...(url === null ? {} : { auth_address_approval_url: url }),
  }
}

/** Keys that developers hold are known here only because they were asked for. */
function keyRequestStatus({ status }: PresentedKey): DeveloperManagedSigner['status'] {
  if (status === 'generated') throw new Error('a key that a developer holds was never asked for')
  return status
}

function approvalUrlOf({ status, approvalToken }: PresentedKey, publicUrl: string): string | null {
  return status === 'pending_approval' && approvalToken !== null
    ? `${publicUrl}/approve/${approvalToken}`
    : null
}
