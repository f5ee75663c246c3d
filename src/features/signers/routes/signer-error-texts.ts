/** What is said of 404, 403 and 409 in the documentation of these operations. */
export const unknownSignerText = 'There is no such signer.'
export const otherAppsSignerText = 'The signer belongs to another app.'
export const alreadyAnsweredText = 'The user has answered already.'
