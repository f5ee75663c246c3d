/** Names the private key of a signer for the vault (the additional data of its ciphertext). */
export const signerKeyContext = (signerId: string): string => `signer ${signerId}`
