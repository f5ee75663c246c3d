import { Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import {
  castHashParameter,
  choiceParameter,
  cursorParameter,
  fidParameter,
  flagParameter,
  limitParameter,
  listParameter,
  numberParameter,
  textParameter,
  uuidParameter,
} from './parameters.js'
import { compileQuery } from './parse-query.js'

const description = ''
const parse = compileQuery(
  Type.Object({
    fid: fidParameter({ description }),
    viewer_fid: Type.Optional(fidParameter({ description })),
    limit: limitParameter({ maximum: 100, default: 25 }),
    deep: flagParameter({ description, default: false }),
    sort: Type.Optional(choiceParameter(['new', 'old'], { description })),
    types: Type.Optional(
      listParameter(choiceParameter(['a', 'b', 'c'], { description }), { description, maxItems: 2 }),
    ),
    fids: Type.Optional(listParameter(fidParameter({ description }), { description, maxItems: 3 })),
    hash: Type.Optional(castHashParameter({ description })),
    q: Type.Optional(textParameter({ description, maxLength: 5 })),
    latitude: Type.Optional(numberParameter({ description, minimum: -90, maximum: 90 })),
    cursor: cursorParameter,
    webhook_id: Type.Optional(uuidParameter({ description })),
  }),
)

describe('valid input', () => {
  it('applies defaults, and leaves out absent parameters', () => {
    expect(parse({ fid: '3' })).toEqual({ fid: 3, limit: 25, deep: false })
  })

  it('an empty value counts as absent', () => {
    expect(parse({ fid: '3', limit: '', cursor: '', sort: '', fids: '' })).toEqual(parse({ fid: '3' }))
  })

  it('`undefined` for an optional boolean or whole number counts as absent, as components send it', () => {
    const unset = { deep: 'undefined', limit: 'undefined', viewer_fid: 'undefined' }
    expect(parse({ fid: '3', ...unset })).toEqual(parse({ fid: '3' }))
    // A text may be this word.
    expect(parse({ fid: '3', cursor: 'undefined' })).toMatchObject({ cursor: 'undefined' })
  })

  it('a UUID in upper case is read in lower case, as the database writes it', () => {
    const id = '19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'
    expect(parse({ fid: '3', webhook_id: id.toUpperCase() })).toMatchObject({ webhook_id: id })
  })

  it('ignores undeclared parameters', () => {
    expect(parse({ fid: '3', provider: 'x', 'x-sdk': ['1', '2'] })).toEqual(parse({ fid: '3' }))
  })

  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
    // As Python writes them.
    ['True', true],
    ['False', false],
  ])('reads the flag %s', (text, deep) => {
    expect(parse({ fid: '3', deep: text })).toMatchObject({ deep })
  })

  it.each([
    ['between commas', '1,2,3'],
    ['with spaces', ' 1 , 2,3 '],
    ['with empty places', ',1,,2,3,'],
    ['repeated', ['1', '2', '3']],
    ['both', ['1,2', '3']],
    ['twice', '1,2,3,2,1,1'],
  ])('reads a list %s', (_how, fids) => {
    expect(parse({ fid: '3', fids })).toMatchObject({ fids: [1, 2, 3] })
  })

  it('reads numbers, texts and hashes', () => {
    const hash = '0x71d5225f77e0164388b1d4c120825f3a2c1f131c'
    const rawValue = { fid: '3', latitude: '-12.5e-1', q: '🎈a', hash, sort: 'old', types: 'b,a' }
    expect(parse(rawValue)).toMatchObject({ latitude: -1.25, q: '🎈a', hash, sort: 'old', types: ['b', 'a'] })
  })
})

describe('a wrong value -> names the parameter and the expected value', () => {
  it.each([
    [{}, 'fid', 'is required: a whole number from 1 to 2147483647'],
    [{ fid: '' }, 'fid', 'is required'],
    [{ fid: 'undefined' }, 'fid', 'must be a whole number from 1 to'],
    [{ fid: '1', limit: 'null' }, 'limit', 'must be a whole number from 1 to 100'],
    [{ fid: '1', sort: 'undefined' }, 'sort', 'must be one of new, old'],
    [{ fid: '1', latitude: 'undefined' }, 'latitude', 'must be a number from -90 to 90'],
    [{ fid: '0' }, 'fid', 'must be a whole number from 1 to'],
    [{ fid: '1.5' }, 'fid', 'must be a whole number'],
    [{ fid: '1e3' }, 'fid', 'must be a whole number'],
    [{ fid: '0x1' }, 'fid', 'must be a whole number'],
    [{ fid: ' 1' }, 'fid', 'must be a whole number'],
    [{ fid: '99999999999999999999999' }, 'fid', 'must be a whole number'],
    [{ fid: ['1', '2'] }, 'fid', 'is given more than once'],
    [{ fid: '1', limit: '101' }, 'limit', 'must be a whole number from 1 to 100'],
    [{ fid: '1', deep: 'yes' }, 'deep', 'must be true or false'],
    [{ fid: '1', sort: 'New' }, 'sort', 'must be one of new, old'],
    [{ fid: '1', types: 'a,d' }, 'types', 'must be a list of 1 to 2, each one of a, b, c'],
    [{ fid: '1', types: 'a,b,c' }, 'types', 'must be a list of 1 to 2'],
    [{ fid: '1', fids: '1,x' }, 'fids', 'must be a list of 1 to 3, each a whole number from 1'],
    [{ fid: '1', hash: '0x12' }, 'hash', 'must be the hash of a cast'],
    [{ fid: '1', q: 'abcdef' }, 'q', 'must be a text of 1 to 5 characters'],
    [{ fid: '1', q: 'a\0b' }, 'q', 'must not hold the character U+0000'],
    [{ fid: '1', latitude: '90.1' }, 'latitude', 'must be a number from -90 to 90'],
    [{ fid: '1', latitude: 'NaN' }, 'latitude', 'must be a number'],
  ])('%j', (rawValue, property, problem) => {
    expect(() => parse(rawValue)).toThrow(
      expect.objectContaining({ property, message: expect.stringContaining(`${property} ${problem}`) }),
    )
  })
})

describe('numbers', () => {
  const parseNumbers = compileQuery(
    Type.Object({
      whole: Type.Optional(Type.Integer({ minimum: -500 })),
      any: Type.Optional(Type.Number({ maximum: 1_000 })),
      pair: Type.Optional(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 })),
      none: Type.Optional(Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 9 })])),
      positive: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      cleared: Type.Optional(Type.String({ minLength: 0, maxLength: 5 })),
    }),
  )

  it.each([
    ['0', 0],
    ['-12.75', -12.75],
    ['12.125', 12.125],
    ['2.5e2', 250],
    ['-3E-2', -0.03],
  ])('reads %s', (text, number) => {
    expect(parseNumbers({ any: text })).toEqual({ any: number })
  })

  it('reads whole numbers of several digits', () => {
    expect(parseNumbers({ whole: '-345', pair: '12,345' })).toEqual({ whole: -345, pair: [12, 345] })
  })

  it.each([
    [{ whole: '1.5' }, 'whole must be a whole number of at least -500'],
    [{ whole: '-501' }, 'whole must be a whole number of at least -500'],
    [{ any: '1001' }, 'any must be a number of at most 1000'],
    [{ any: '1.' }, 'any must be a number of at most 1000'],
    [{ any: '0x10' }, 'any must be a number of at most 1000'],
    [{ pair: '1' }, 'pair must be a list of exactly 2, each a whole number'],
    [{ none: '10' }, 'none must be null, or a whole number from 0 to 9'],
    [{ positive: '0' }, 'positive must be a number above 0'],
    [{ cleared: 'a long text' }, 'cleared must be a text of 0 to 5 characters'],
  ])('refuses %j', (query, message) => {
    expect(() => parseNumbers(query)).toThrow(message)
  })
})
