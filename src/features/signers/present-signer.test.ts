import { describe, expect, it } from 'vitest'
import { authKeyOf } from '../../protocol/auth-key.js'
import {
  type PresentedKey,
  presentAuthAddress,
  presentDeveloperManagedSigner,
  presentSigner,
} from './present-signer.js'

const PUBLIC_URL = 'https://plaza.test'
const key: PresentedKey = {
  id: '6f1b1ad2-6c0f-4c1b-9a55-0d2d0a3a1c11',
  publicKey: Buffer.alloc(32, 0xab),
  status: 'generated',
  fid: null,
  permissions: null,
  approvalToken: null,
}
const pendingKey: PresentedKey = { ...key, status: 'pending_approval', approvalToken: 'token' }
const approved: PresentedKey = { ...key, status: 'approved', fid: 7, approvalToken: 'token' }
const authKey = authKeyOf(Buffer.alloc(20, 0xab))
const approval = `${PUBLIC_URL}/approve/token`

describe('a signer', () => {
  it('a new signer has every permission, once it is approved', () => {
    expect(presentSigner(key, PUBLIC_URL)).toEqual({
      object: 'signer',
      signer_uuid: key.id,
      public_key: `0x${'ab'.repeat(32)}`,
      status: 'generated',
      permissions: ['WRITE_ALL'],
    })
  })

  it('has the URL of its approval page while it waits, and no longer', () => {
    expect(presentSigner(pendingKey, PUBLIC_URL)).toMatchObject({ signer_approval_url: approval })
    expect(presentSigner({ ...pendingKey, approvalToken: null }, PUBLIC_URL)).not.toHaveProperty(
      'signer_approval_url',
    )
    expect(presentSigner(approved, PUBLIC_URL)).not.toHaveProperty('signer_approval_url')
  })

  it('has its fid and permissions', () => {
    const permissions: PresentedKey['permissions'] = ['PUBLISH_CAST']
    expect(presentSigner({ ...approved, permissions }, PUBLIC_URL)).toMatchObject({ fid: 7, permissions })
  })
})

it('a developer-managed key has an approval URL while it is pending, and then its fid', () => {
  const public_key = `0x${'ab'.repeat(32)}`
  expect(presentDeveloperManagedSigner(pendingKey, PUBLIC_URL)).toEqual({
    public_key,
    status: 'pending_approval',
    signer_approval_url: approval,
  })
  expect(presentDeveloperManagedSigner(approved, PUBLIC_URL)).toEqual({
    public_key,
    status: 'approved',
    fid: 7,
  })
})

it('an auth address is the address of its key', () => {
  const address = `0x${'ab'.repeat(20)}`
  expect(presentAuthAddress({ ...pendingKey, publicKey: authKey }, PUBLIC_URL)).toEqual({
    address,
    status: 'pending_approval',
    auth_address_approval_url: approval,
  })
  expect(presentAuthAddress({ ...approved, publicKey: authKey }, PUBLIC_URL)).toEqual({
    address,
    status: 'approved',
    fid: 7,
  })
})

it('a developer-managed key without a request throws', () => {
  expect(() => presentDeveloperManagedSigner(key, PUBLIC_URL)).toThrow('no key request')
  expect(() => presentAuthAddress({ ...key, publicKey: authKey }, PUBLIC_URL)).toThrow('no key request')
})
