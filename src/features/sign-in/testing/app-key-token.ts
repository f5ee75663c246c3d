import { type TestUser, testNowUnix } from '../../../../test/network.js'

/** What a token that is wrong in some way says instead. */
export interface TokenChanges {
  readonly header?: object
  readonly payload?: object
  /** Who signs it, instead of the user's own key. */
  readonly key?: TestUser['key']
}

/** The header `authorization` with a token that a user's app key has signed, good for five minutes of test time. */
export function appKeyAuthorization(user: TestUser, changes: TokenChanges = {}): string {
  const header = { fid: user.fid, type: 'app_key', key: `0x${user.key.publicKey.toString('hex')}` }
  const signed = [
    { ...header, ...changes.header },
    { exp: testNowUnix + 300, ...changes.payload },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = (changes.key ?? user.key).signHash(Buffer.from(signed))
  return `Bearer ${signed}.${signature.toString('base64url')}`
}
