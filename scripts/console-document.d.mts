export function consoleDocument(document: object): object
