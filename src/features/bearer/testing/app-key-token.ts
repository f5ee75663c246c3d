import { type TestUser, testNowUnix } from '../../../../test/network.js'

/** Changes that make a token invalid. */
export interface TokenChanges {
  readonly header?: object
  readonly payload?: object
  /** The signing key, instead of the user's own. */
  readonly key?: TestUser['key']
}

/** Builds `authorization` with a token signed by a user's app key, valid for five minutes of test time. */
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
