import { describe, expect, it } from 'vitest'
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.js'

const read = parseDatabaseUrl

describe('hosts', () => {
  it('several hosts have ports of their own, or one for all', () => {
    expect(read('postgres://u@a:1,b,[::1]:3/d').hosts).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 5432 },
      { host: '::1', port: 3 },
    ])
    expect(read('postgres://u@/d?host=a,b&port=6432').hosts).toEqual([
      { host: 'a', port: 6432 },
      { host: 'b', port: 6432 },
    ])
  })

  it('a folder is that of a Unix socket', () => {
    for (const url of ['postgres:///d?host=/run/pg', 'postgresql://%2Frun%2Fpg/d']) {
      expect(read(url)).toMatchObject({
        hosts: [{ host: '/run/pg', port: 5432 }],
        user: '',
        database: 'd',
      })
    }
  })
})

it('user, password and database are decoded, and left to the driver without them', () => {
  expect(read('postgres://a%40b:p%3Aq:r%2F@h/d%20e')).toMatchObject({
    user: 'a@b',
    password: 'p:q:r/',
    database: 'd e',
  })
  expect(read('postgres://h')).toMatchObject({ user: '', password: '', database: '' })
})

it('TLS: a root certificate is checked, and none is disable', () => {
  expect(read('postgres://u@h/d').tls).toBeNull()
  const files = { certificate: null, key: null }
  expect(read('postgres://u@h/d?sslmode=require').tls).toEqual({
    mode: 'require',
    rootCertificate: null,
    ...files,
  })
  expect(read('postgres://u@h/d?sslmode=require&sslrootcert=/ca').tls).toMatchObject({
    mode: 'verify-ca',
    rootCertificate: '/ca',
  })
  expect(read('postgres://u@h/d?sslrootcert=system').tls).toMatchObject({
    mode: 'verify-full',
    rootCertificate: null,
  })
  expect(read('postgres://u@h/d?sslmode=verify-full&sslcert=/c&sslkey=/k').tls).toMatchObject({
    certificate: '/c',
    key: '/k',
  })
})

it('options are settings of the session', () => {
  const options = encodeURIComponent('-c work_mem=8MB --search-path=a\\ b -cgeqo=off')
  expect(read(`postgres://u@h/d?options=${options}&target_session_attrs=primary`)).toMatchObject({
    settings: { work_mem: '8MB', search_path: 'a b', geqo: 'off' },
    target: 'primary',
  })
})

it.each([
  ['mysql://h/d', /postgres:/],
  ['postgres://u@h:x/d', /host/],
  ['postgres://u@a,b/d?port=1,2,3', /2 hosts and 3 ports/],
  ['postgres://u@h/d?sslmod=require', /unknown parameter "sslmod"/],
  ['postgres://u@h/d?sslmode=on', /sslmode is not one of/],
  ['postgres://u@h/d?sslmode=require&sslrootcert=system', /needs sslmode=verify-full, not require/],
  ['postgres://u@h/d?ssl=true&sslrootcert=system', /needs sslmode=verify-full/],
  ['postgres://u@h/d?sslcert=/c', /belong together/],
  ['postgres://u@h/d?options=-d', /-c name=value/],
  ['postgres://u@h/d?channel_binding=require', /verify-full/],
  ['postgres://u@h/d?gssencmode=require', /gssencmode=require .*verify-full/],
  ['postgres://u:%zz@h/d', /hex digits/],
])('%s is refused', (url, message) => {
  expect(() => read(url)).toThrow(DatabaseUrlError)
  expect(() => read(url)).toThrow(message)
})

it('an error repeats no secret', () => {
  expect(() => read('postgres://u:secret@h:badport/d')).toThrow(/^(?!.*secret)/)
})
