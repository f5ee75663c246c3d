const WEI_DIGITS = 18
const SHOWN_DIGITS = 6

/** An amount in wei as ETH, rounded down to six digits. */
export function ether(wei: string): string {
  const digits = wei.padStart(WEI_DIGITS + 1, '0')
  const fraction = digits.slice(-WEI_DIGITS, -WEI_DIGITS + SHOWN_DIGITS).replace(/0+$/, '')
  return `${digits.slice(0, -WEI_DIGITS)}${fraction === '' ? '' : `.${fraction}`} ETH`
}
