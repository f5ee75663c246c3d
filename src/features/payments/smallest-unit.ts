import { maxUint256, parseUnits } from 'viem'
import { PlazaError } from '../../platform/errors.js'
import { decimalString } from '../tokens/present-token.js'

/**
 * Converts an amount to the smallest unit of a token.
 *
 * @param property Where the request has the amount.
 * @throws PlazaError for one that could only be paid rounded, or that no transfer can have.
 */
export function toSmallestUnit(amount: number, decimals: number, property: string): bigint {
  const text = decimalString(amount)
  const [, fraction = ''] = text.split('.')
  const raw = parseUnits(text, decimals)
  if (fraction.length <= decimals && raw <= maxUint256) return raw
  const problem = raw > maxUint256 ? 'does not fit 256 bits' : `has more than ${decimals} decimals`
  throw new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
