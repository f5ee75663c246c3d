import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { HOUR_MS } from '../../durations.js'

/** A key and its certificate in PEM. */
export interface TestCertificate {
  readonly key: string
  readonly cert: string
}

const tags = { boolean: 0x01, integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, utf8: 0x0c, time: 0x18 }
const sequence = 0x30
const set = 0x31

const commonName = Buffer.from('550403', 'hex')
const ecdsaWithSha256 = Buffer.from('2a8648ce3d040302', 'hex')
const basicConstraints = Buffer.from('551d13', 'hex')
const subjectAltName = Buffer.from('551d11', 'hex')

/**
 * Creates a certificate for these names and addresses, valid for an hour around now: X.509 v3 (RFC 5280) in
 * minimal DER, so that the repository contains no private key and no certificate that expires.
 */
export function createCertificate(...hosts: string[]): TestCertificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return certificateOf(hosts, keys, { name: 'plaza test', key: keys.privateKey })
}

/** Creates one like it that is signed by an authority whose own certificate the server does not send. */
export function createIncompleteCertificate(...hosts: string[]): TestCertificate {
  const [keys, authority] = [1, 2].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }))
  return certificateOf(hosts, keys!, { name: 'plaza test authority', key: authority!.privateKey })
}

function certificateOf(
  hosts: readonly string[],
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
  issuer: { readonly name: string; readonly key: KeyObject },
): TestCertificate {
  const algorithm = der(sequence, der(tags.oid, ecdsaWithSha256))
  const body = der(
    sequence,
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    algorithm,
    nameOf(issuer.name),
    der(sequence, time(Date.now() - HOUR_MS), time(Date.now() + HOUR_MS)),
    nameOf('plaza test'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(sequence, authority(), alternativeNames(hosts))),
  )
  const signature = sign('sha256', body, issuer.key)
  const certificate = der(sequence, body, algorithm, der(tags.bits, Buffer.from([0]), signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  }
}

function nameOf(text: string): Buffer {
  const attribute = der(sequence, der(tags.oid, commonName), der(tags.utf8, Buffer.from(text)))
  return der(sequence, der(set, attribute))
}

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const length = Buffer.from([0x82, content.length >> 8, content.length & 0xff])
  return Buffer.concat([Buffer.from([tag]), length, content])
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+Z|[-:T]/g, '')
  return der(tags.time, Buffer.from(`${digits}Z`))
}

function authority(): Buffer {
  const isAuthority = der(sequence, der(tags.boolean, Buffer.from([0xff])))
  return der(sequence, der(tags.oid, basicConstraints), der(tags.octets, isAuthority))
}

/** GeneralName: [2] dNSName, [7] iPAddress. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0
      ? der(0x82, Buffer.from(host))
      : der(0x87, Buffer.from(ipaddr.parse(host).toByteArray())),
  )
  return der(sequence, der(tags.oid, subjectAltName), der(tags.octets, der(sequence, ...names)))
}
