import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A key and a certificate as PEM. */
export interface CertifiedKey {
  readonly key: string
  readonly cert: string
}

/** A certificate authority for tests. */
export interface Authority {
  /** PEM. */
  readonly cert: string
  /** Issues a certificate for a host name. */
  certify(hostName: string): CertifiedKey
}

const ECDSA_WITH_SHA256 = oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])
const COMMON_NAME = oid([0x55, 0x04, 0x03])
const SUBJECT_ALT_NAME = oid([0x55, 0x1d, 0x11])
const BASIC_CONSTRAINTS = oid([0x55, 0x1d, 0x13])
const TRUE = der(0x01, Buffer.of(0xff))

/** Creates an unknown authority, like that of a private network. */
export function createAuthority(name: string): Authority {
  const pair = newKeys()
  const isAuthority = extension(BASIC_CONSTRAINTS, sequence(TRUE))
  return {
    cert: certificate({ subject: name, of: pair.publicKey, issuer: name, by: pair.privateKey }, isAuthority),
    certify(hostName) {
      const { publicKey, privateKey } = newKeys()
      const names = extension(SUBJECT_ALT_NAME, sequence(der(0x82, Buffer.from(hostName))))
      return {
        key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
        cert: certificate({ subject: hostName, of: publicKey, issuer: name, by: pair.privateKey }, names),
      }
    },
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

interface Statement {
  readonly subject: string
  readonly of: KeyObject
  readonly issuer: string
  readonly by: KeyObject
}

let serial = 0

/** Encodes an X.509 certificate (RFC 5280 §4.1) valid from 2020 to 2049. */
function certificate({ subject, of, issuer, by }: Statement, extensions: Buffer): string {
  serial += 1
  const body = sequence(
    der(0xa0, integer(2)),
    integer(serial),
    sequence(ECDSA_WITH_SHA256),
    distinguishedName(issuer),
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    distinguishedName(subject),
    of.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, by)]))
  const encoded = sequence(body, sequence(ECDSA_WITH_SHA256), signature)
  return `-----BEGIN CERTIFICATE-----\n${encoded.toString('base64')}\n-----END CERTIFICATE-----\n`
}

function distinguishedName(name: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))))
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, TRUE, der(0x04, value))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value))
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

/** Encodes a value with its tag and length (X.690 §8.1). */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
