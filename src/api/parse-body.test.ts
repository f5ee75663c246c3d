import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PlazaError } from '../platform/errors.js'
import {
  castHashParameter,
  choiceParameter,
  ethAddressParameter,
  fidParameter,
  listParameter,
  textParameter,
  uuidParameter,
} from './parameters.js'
import { compileBody } from './parse-body.js'

const description = ''
const parse = compileBody(
  Type.Object({
    fid: fidParameter({ description }),
    text: Type.Optional(textParameter({ description, maxLength: 5 })),
    kind: Type.Optional(choiceParameter(['like', 'recast'], { description })),
    hash: Type.Optional(castHashParameter({ description })),
    fids: Type.Optional(listParameter(fidParameter({ description }), { description, maxItems: 2 })),
    accept: Type.Boolean({ default: true }),
    embeds: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Object({ url: textParameter({ description }) }),
          Type.Object({ cast: Type.Integer() }),
        ]),
      ),
    ),
    place: Type.Optional(Type.Object({ latitude: Type.Number({ minimum: -90, maximum: 90 }) })),
    spot: Type.Optional(
      Type.Union([Type.Object({ latitude: Type.Number({ maximum: 90 }) }), Type.Literal('')]),
    ),
    payload: Type.Optional(Type.Object({}, { additionalProperties: true })),
    chain: Type.Optional(Type.Union([Type.Literal(10), Type.Literal(8453), Type.Literal('8453n')])),
    bio: Type.Optional(Type.String({ minLength: 0, maxLength: 5 })),
    signer: Type.Optional(uuidParameter({ description })),
    developer: Type.Optional(Type.Union([uuidParameter({ description }), Type.Null()])),
    wallet: Type.Optional(ethAddressParameter({ description })),
    token: Type.Optional({ ...ethAddressParameter({ description }), refusesEmpty: true }),
    pin: Type.Optional(Type.Union([castHashParameter({ description }), Type.Null()])),
  }),
)

describe('valid input', () => {
  it.each([{}, { strict: true }])('a UUID in upper case is read in lower case, with %o', (options) => {
    const id = '19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'
    const read = parse({ fid: 3, signer: id.toUpperCase(), developer: id.toUpperCase() }, options)
    expect(read).toMatchObject({ signer: id, developer: id })
  })

  it('is accepted, with defaults for absent members', () => {
    const body = { fid: 3, kind: 'like', embeds: [{ url: 'u' }, { cast: 1 }], payload: { any: { thing: 1 } } }
    expect(parse(body)).toEqual({ ...body, accept: true })
    expect(parse({ fid: 3, accept: false })).toEqual({ fid: 3, accept: false })
  })

  it('no required members -> the body may be absent', () => {
    expect(compileBody(Type.Object({}))(undefined)).toEqual({})
  })
})

describe('what published clients send', () => {
  it('members that are not declared are ignored, at any depth', () => {
    const given = {
      fid: 3,
      fidd: 4,
      embeds: [{ url: 'u', cast: null, title: 't' }],
      place: { latitude: 1, zoom: 2 },
    }
    expect(parse(given)).toEqual({ fid: 3, accept: true, embeds: [{ url: 'u' }], place: { latitude: 1 } })
    expect(given).toHaveProperty('fidd', 4)
  })

  it('a value with members of two alternatives that exclude others is none', () => {
    expect(() => parse({ fid: 3, embeds: [{ url: 'u', cast: 1 }] })).toThrow('embeds.0 must be')
  })

  it('null for an optional member counts as absent', () => {
    expect(parse({ fid: 3, text: null, fids: null, accept: null, place: null })).toEqual({
      fid: 3,
      accept: true,
    })
  })

  it('whole numbers may be strings', () => {
    expect(parse({ fid: '3', fids: ['1', 2], embeds: [{ cast: '7' }] })).toEqual({
      fid: 3,
      fids: [1, 2],
      embeds: [{ cast: 7 }],
      accept: true,
    })
  })

  it('numbers of a choice may be strings', () => {
    expect(parse({ fid: 3, chain: '8453' })).toEqual({ fid: 3, chain: 8453, accept: true })
    expect(parse({ fid: 3, chain: '8453n' })).toMatchObject({ chain: '8453n' })
    for (const chain of ['11', '010', '10.0', ''])
      expect(() => parse({ fid: 3, chain })).toThrow('chain must be 10, or 8453')
  })

  it('an empty text counts as absent where it could not be empty, and stays where it means to clear', () => {
    expect(parse({ fid: 3, text: '', bio: '' })).toEqual({ fid: 3, bio: '', accept: true })
    expect(parse({ fid: 3, signer: '', wallet: '', hash: '', kind: '' })).toEqual({ fid: 3, accept: true })
    for (const name of ['token', 'pin'])
      expect(() => parse({ fid: 3, [name]: '' })).toThrow(`${name} must be`)
    expect(() => parse({ fid: 3, embeds: [{ url: '' }] })).toThrow('embeds.0 must be')
  })

  it('strict -> only what is declared', () => {
    expect(parse({ fid: 3 }, { strict: true })).toEqual({ fid: 3, accept: true })
    const cases = [
      [{ fid: '3' }, 'fid', 'fid must be a whole number from 1 to 2147483647'],
      [{ fid: 3, text: null }, 'text', 'text must be a text of 1 to 5 characters'],
      [{ fid: 3, text: '' }, 'text', 'text must be a text of 1 to 5 characters'],
      [{ fid: 3, kind: '' }, 'kind', 'kind must be one of like, recast'],
      [{ fid: 3, chain: '10' }, 'chain', 'chain must be 10, or 8453, or "8453n"'],
      [{ fid: 3, fidd: 4 }, 'fidd', 'fidd is not a member of this body'],
      [{ fid: 3, 'a/b~c': 4 }, 'a/b~c', 'a/b~c is not a member of this body'],
      [{ fid: 3, place: { latitude: 1, zoom: 2 } }, 'place.zoom', 'place.zoom is not a member of this body'],
      [{ fid: 3, embeds: [{ url: 'u', cast: 1 }] }, 'embeds.0', 'embeds.0 must be an object, or an object'],
    ] as const
    for (const [body, property, message] of cases) {
      expect(() => parse(body, { strict: true })).toThrow(expect.objectContaining({ property, message }))
    }
  })

  it('a declared body is never changed by leniency', () => {
    const declared = fc.record(
      {
        fid: fc.integer({ min: 1, max: 2_147_483_647 }),
        text: fc.stringMatching(/^[a-z]{1,5}$/),
        fids: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 2 }),
        accept: fc.boolean(),
        payload: fc.dictionary(
          fc.stringMatching(/^[a-z]+$/),
          fc.oneof(fc.integer(), fc.constant(null), fc.string()),
        ),
      },
      { requiredKeys: ['fid', 'accept'] },
    )
    fc.assert(
      fc.property(declared, (body) => {
        fc.pre(!JSON.stringify(body).includes('\\u0000'))
        expect(parse(body)).toEqual(body)
      }),
    )
  })
})

describe('invalid input', () => {
  it.each([
    [undefined, 'fid', 'fid is required: a whole number from 1 to 2147483647'],
    [{}, 'fid', 'fid is required: a whole number from 1 to 2147483647'],
    [{ fid: '3x' }, 'fid', 'fid must be a whole number from 1 to 2147483647'],
    [{ fid: '0' }, 'fid', 'fid must be a whole number from 1 to 2147483647'],
    [{ fid: null }, 'fid', 'fid must be a whole number from 1 to 2147483647'],
    [{ fid: 3.5 }, 'fid', 'fid must be a whole number from 1 to 2147483647'],
    [{ fid: 3, text: 'a\0' }, 'text', 'text must not hold the character U+0000'],
    [{ fid: 3, kind: 'love' }, 'kind', 'kind must be one of like, recast'],
    [{ fid: 3, hash: '0x12' }, 'hash', 'hash must be the hash of a cast: 40 hex digits, with 0x or without'],
    [
      { fid: 3, fids: [1, 2, 3] },
      'fids',
      'fids must be a list of 1 to 2, each a whole number from 1 to 2147483647',
    ],
    [{ fid: 3, fids: [1, 'x'] }, 'fids.1', 'fids.1 must be a whole number from 1 to 2147483647'],
    [{ fid: 3, accept: 1 }, 'accept', 'accept must be true or false'],
    [{ fid: 3, embeds: [{ link: 'u' }] }, 'embeds.0', 'embeds.0 must be an object, or an object'],
    [{ fid: 3, place: { latitude: 91 } }, 'place.latitude', 'place.latitude must be a number from -90 to 90'],
    [{ fid: 3, spot: 'home' }, 'spot', 'spot must be an object, or ""'],
    [{ fid: 3, spot: [] }, 'spot', 'spot must be an object, or ""'],
    [{ fid: 3, spot: {} }, 'spot.latitude', 'spot.latitude is required: a number of at most 90'],
    [
      { fid: 3, spot: { undeclared: 1, latitude: 91 } },
      'spot.latitude',
      'spot.latitude must be a number of at most 90',
    ],
    [{ fid: 3, place: {} }, 'place.latitude', 'place.latitude is required: a number from -90 to 90'],
    [
      { fid: 3, payload: { deep: ['\0'] } },
      'payload.deep.0',
      'payload.deep.0 must not hold the character U+0000',
    ],
    [{ fid: 3, text: 'a\ud83c' }, 'text', 'text must not hold half of a surrogate pair'],
    [{ fid: 3, payload: { '\udf31': 1 } }, 'payload', 'payload must not hold half of a surrogate pair'],
  ])('%j names %s', (body, property, message) => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({ code: 'bad_request.invalid_param', property, message }),
    )
  })

  it('lists each wrong member once with path, received and expected value', () => {
    const body = { text: 'too long', fids: [1, 'x'], place: 'Rome', kind: 'poke', more: true }
    const wholeNumberText = (lowerBound: number) => `a whole number from ${lowerBound} to 2147483647`
    expect(() => parse(body, { strict: true })).toThrow(
      expect.objectContaining({
        validationErrors: expect.arrayContaining([
          validationError(
            'fid',
            'invalid_type',
            'undefined',
            wholeNumberText(1),
            `fid is required: ${wholeNumberText(1)}`,
          ),
          validationError('text', 'too_big', 'a text of 8 characters', 'a text of 1 to 5 characters'),
          validationError('fids.1', 'invalid_type', 'a text of 1 characters', wholeNumberText(1)),
          validationError('place', 'invalid_type', 'a text of 4 characters', 'an object'),
          validationError('kind', 'invalid_union', 'a text of 4 characters', 'one of like, recast'),
          validationError(
            'more',
            'unrecognized_keys',
            'true',
            'no such member',
            'more is not a member of this body',
          ),
        ]),
      }),
    )
    const many = { fid: 3, ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`x${n}`, n])) }
    expect(() => parse(many, { strict: true })).toThrow(
      expect.objectContaining({ validationErrors: expect.objectContaining({ length: 50 }) }),
    )
  })

  it('keeps whole surrogate pairs', () => {
    expect(parse({ fid: 3, payload: { '🌱': '🌱' } })).toMatchObject({ payload: { '🌱': '🌱' } })
  })

  it.each([null, [], 'text', 3])('%j is no object', (body) => {
    expect(() => parse(body)).toThrow('the body must be a JSON object')
  })
})

function validationError(
  name: string,
  code: string,
  received: string,
  expected: string,
  message = `${name} must be ${expected}`,
) {
  return { code, expected, received, message, path: name.split('.') }
}

describe('members that may be anything', () => {
  const parseAny = compileBody(
    Type.Object({
      anything: Type.Optional(Type.Unknown()),
      nothing: Type.Optional(Type.Union([Type.Null(), Type.Integer()])),
      whole: Type.Optional(Type.Integer()),
      inner: Type.Optional(Type.Object({ needed: Type.Integer({ minimum: 10, maximum: 99 }) })),
    }),
  )

  it('null stays where the member may be null', () => {
    expect(parseAny({ anything: null, nothing: null, whole: null })).toEqual({
      anything: null,
      nothing: null,
    })
  })

  it('digits are a number up to the largest that is exact', () => {
    expect(parseAny({ whole: '-1234567890' })).toEqual({ whole: -1_234_567_890 })
    for (const whole of ['9007199254740993', '12345678901234567', '1e3', ' 1'])
      expect(() => parseAny({ whole })).toThrow('whole must be a whole number')
  })

  it('the error has what was received, and names a member that is missing', () => {
    const errorsOf = (body: object) => {
      try {
        parseAny(body)
        return []
      } catch (error) {
        return (error as PlazaError).validationErrors
      }
    }
    expect(errorsOf({ inner: { needed: 5 } })).toMatchObject([{ received: '5', code: 'too_small' }])
    expect(errorsOf({ inner: {} })).toMatchObject([
      { message: 'inner.needed is required: a whole number from 10 to 99', received: 'undefined' },
    ])
  })

  it('the name of a refused member is cut', () => {
    const name = 'x'.repeat(500)
    expect(() => parseAny({ [name]: 'a\u0000' })).toThrow(
      expect.objectContaining({ property: name.slice(0, 64) }),
    )
  })
})
