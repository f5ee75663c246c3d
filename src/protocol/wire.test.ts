import { describe, expect, it } from 'vitest'
import { messageDataSchema } from './message-kinds.js'
import { inspectWire, WireReader } from './wire.js'

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

const maxVarint = 'ffffffffffffffffff01'

describe('WireReader', () => {
  it.each([
    ['', 0],
    ['80', 0],
    ['00', 1],
    ['7f', 1],
    ['8000', 2],
    ['8001', 2],
    [maxVarint, 10],
    ['ffffffffffffffffff02', 0],
    ['8080808080808080808001', 0],
  ])('a varint %j takes %i bytes', (hex, length) => {
    expect(new WireReader(bytes(hex)).varintLength()).toBe(length)
    expect(new WireReader(bytes(`ff ${hex}`), 1).varintLength()).toBe(length)
  })

  it('reads nothing past its end', () => {
    expect(new WireReader(bytes('8001'), 0, 1).varintLength()).toBe(0)
    expect(new WireReader(bytes('02 0000'), 0, 2).readBytes()).toBe(-1)
    for (const wireType of [0, 1, 2, 5]) {
      const reader = new WireReader(bytes('80 01 00 00 00 00 00 00 00'), 0, 1)
      expect(reader.skip(wireType, 1)).toBe(false)
    }
  })

  it.each([
    ['00', 0],
    ['ac02', 300],
    ['8000', 0],
    ['8880808000', 8],
    ['ffffffff0f', 0xffff_ffff],
    ['ffffffff10', -1],
    ['888080808000', 8],
    ['80808080808080808000', 0],
    ['8080808080808080808000', -1],
    ['808080808001', -1],
    ['80', -1],
    ['', -1],
  ])('reads %j as the number %i', (hex, value) => {
    const reader = new WireReader(bytes(hex))
    expect(reader.readUint32()).toBe(value)
    if (value >= 0) expect(reader.position).toBe(hex.length / 2)
  })

  it.each([
    [0, '8001', true],
    [0, maxVarint, true],
    [0, '80', false],
    [0, '', false],
    [1, '0102030405060708', true],
    [1, '01020304050607', false],
    [2, '00', true],
    [2, '020304', true],
    [2, '0203', false],
    [2, '80', false],
    [5, '01020304', true],
    [5, '010203', false],
    [3, '0c', true],
    [3, '08010c', true],
    [3, '13140c', true],
    [3, '14', false],
    [3, '00', false],
    [3, '08', false],
    [3, '', false],
    [4, '00', false],
    [6, '00', false],
    [7, '00', false],
  ])('skips an unknown value of wire type %i, %j: %j', (wireType, hex, passes) => {
    const reader = new WireReader(bytes(hex))
    expect(reader.skip(wireType, 1)).toBe(passes)
    if (passes) expect(reader.position).toBe(hex.length / 2)
  })
})

describe('inspectWire', () => {
  /** type, fid, timestamp and network. */
  const head = '0801 1003 1804 2001'

  it.each([
    ['nothing', ''],
    ['its first fields', head],
    ['a number that comes twice', `${head} 1005`],
    ['a tag of five bytes', `${head} 9080808000 05`],
    ['a fid of ten bytes', '0801 1083808080808080808000'],
    ['the largest timestamp', '0801 1003 18ffffffff0f'],
    ['a choice of five bytes', '08ffffffff0f'],
    ['a negative choice', `08${maxVarint}`],
    ['an unknown number', `${head} 68${maxVarint}`],
    ['an unknown fixed number', `${head} 69 0102030405060708 6d 01020304`],
    ['unknown bytes', `${head} 6a02ffff`],
    ['packed numbers', '2a04 1202 0105'],
    ['the same numbers one by one', '2a04 1001 1005'],
    ['no packed numbers', '2a02 1200'],
    ['several embeds in one cast', '2a08 3202 1200 3202 1200'],
  ])('is null for %s', (_, hex) => {
    expect(inspectWire(bytes(hex), messageDataSchema)).toBeNull()
  })

  it.each([
    ['a tag that is cut', `${head} 80`],
    ['the field 0', `${head} 0000`],
    ['the field 0 with content', `${head} 0201ff`],
    ['an end of a group', `${head} 6c`],
    ['a group with the end of another', `${head} 6b74`],
    ['a group that is cut', `${head} 6b`],
    ['a group in place of a body', `${head} 2b2c`],
    ['an unknown number that is too long', `${head} 68ffffffffffffffffff02`],
    ['an unknown value that is cut', `${head} 6a05ffff`],
    ['a number as bytes', `${head} 120103`],
    ['a number as a fixed one', '0d01000000'],
    ['a number that is cut', `${head} 1080`],
    ['bytes as a number', '3202 0801'],
    ['bytes that are cut', '3202 0a05'],
    ['a string that is cut', '2a02 2205'],
    ['a body as a number', '2801'],
    ['a body that is cut', '2a05 2201'],
    ['packed numbers that are cut', '2a02 1205'],
    ['a packed number that is cut', '2a04 1202 0180'],
    ['a choice of more than 64 bits', '08ffffffffffffffffff02'],
  ])('is malformed for %s', (_, hex) => {
    expect(inspectWire(bytes(hex), messageDataSchema)).toBe('malformed')
  })

  it.each([
    ['a tag of six bytes', `${head} 908080808000 05`],
    ['a length of six bytes', '3208 0a 818080808000 ff'],
    ['a group', `${head} 6b6c`],
    ['a group in a body', '2a02 7b7c'],
    ['a body that comes twice', '2a00 2a00'],
    ['bodies of two types', '2a00 3200'],
    ['two targets', '3a04 1200 1a00'],
    ['an embed of two casts', '2a06 3204 1200 1200'],
    ['an embed of a URL and a cast', '2a06 3204 0a00 1200'],
    ['a choice of six bytes', '08808080808001'],
    ['a choice of nine bytes', '08808080808080808001'],
  ])('is irregular for %s', (_, hex) => {
    expect(inspectWire(bytes(hex), messageDataSchema)).toBe('irregular')
  })

  it('C.8 counts messages and groups up to 100 levels', () => {
    const groups = (levels: number) => '6b'.repeat(levels) + '6c'.repeat(levels)
    expect(inspectWire(bytes(groups(100)), messageDataSchema)).toBe('irregular')
    expect(inspectWire(bytes(groups(101)), messageDataSchema)).toBe('malformed')
    const inBody = (levels: number) => {
      const content = bytes('7b'.repeat(levels) + '7c'.repeat(levels))
      return Buffer.concat([
        bytes('2a'),
        Buffer.of(0x80 | (content.length & 0x7f), content.length >>> 7),
        content,
      ])
    }
    expect(inspectWire(inBody(99), messageDataSchema)).toBe('irregular')
    expect(inspectWire(inBody(100), messageDataSchema)).toBe('malformed')
  })

  it.each([
    ['a fid', '10 ffffffffffffff0f', null],
    ['a fid', '10 8080808080808010', 'number too large'],
    ['a fid', `10 ${maxVarint}`, 'number too large'],
    ['the second of packed fids', '2a0b 1209 01 ffffffffffffff0f', null],
    ['the second of packed fids', '2a0b 1209 01 8080808080808010', 'number too large'],
    ['a fid in a body', '2a0b 1a09 08 8080808080808010', 'number too large'],
  ])('accepts numbers up to 2^53 - 1 in %s: %j', (_, hex, fault) => {
    expect(inspectWire(bytes(hex), messageDataSchema)).toBe(fault)
  })

  it('is the first fault in the bytes', () => {
    expect(inspectWire(bytes('2a03 2201ff 0000'), messageDataSchema)).toBe('invalid utf-8')
    expect(inspectWire(bytes('0000 2a03 2201ff'), messageDataSchema)).toBe('malformed')
  })
})
