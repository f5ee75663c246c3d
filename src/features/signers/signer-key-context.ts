/** Where the private half of a signer belongs, for the vault. */
export const signerKeyContext = (signerId: string): string => `signer ${signerId}`
