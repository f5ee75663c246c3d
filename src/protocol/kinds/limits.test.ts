import { describe, expect, it } from 'vitest'
import { boundaryCases } from '../testing/boundary-cases.js'
import { sampleContext, sampleSigner, validSamples } from '../testing/sample-messages.js'
import { validateStateless } from '../validate.js'

const borders = boundaryCases(await validSamples())

describe.each([...new Set(borders.map(({ sample }) => sample))])('%s', (name) => {
  it('applies every limit exactly, with the texts of the protocol', () => {
    const own = borders.filter(({ sample }) => sample === name)
    const judged = own.map(
      ({ data }) => validateStateless(sampleSigner().sign(data), sampleContext)?.message ?? 'valid',
    )
    expect(judged).toEqual(own.map(({ expected }) => expected))
  })
})
