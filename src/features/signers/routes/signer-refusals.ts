/** What is said of 404, 403 and 409 in the documentation of these operations. */
export const noSuchSigner = 'There is no such signer.'
export const anotherApps = 'The signer belongs to another app.'
export const answeredAlready = 'The user has answered already.'
