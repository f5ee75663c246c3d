/** The content type of JSON replies. */
export const JSON_TYPE = 'application/json; charset=utf-8'
