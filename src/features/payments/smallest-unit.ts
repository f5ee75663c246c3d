import { maxUint256 } from 'viem'
import { PlazaError } from '../../platform/errors.js'

/**
 * Converts an amount to the smallest unit of a token.
 *
 * @param property Where the request has the amount.
 * @throws PlazaError for one that could only be paid rounded, or that no transfer can have.
 */
export function toSmallestUnit(amount: number, decimals: number, property: string): bigint {
  // The shortest digits that are this number: those of the request, unless it has more than a number holds.
  const [digits = '', exponent = '0'] = String(amount).split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  const zeros = decimals + Number(exponent) - fraction.length
  const raw = zeros < 0 ? null : BigInt(whole + fraction) * 10n ** BigInt(zeros)
  if (raw !== null && raw <= maxUint256) return raw
  const problem = raw === null ? `has more than ${decimals} decimals` : 'does not fit 256 bits'
  throw new PlazaError('bad_request.invalid_param', `${property} ${problem}`, { property })
}
