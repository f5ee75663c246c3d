/** Where the private half of a signer belongs, for the vault. */
export const sealedKeyPlace = (signerId: string): string => `signer ${signerId}`
