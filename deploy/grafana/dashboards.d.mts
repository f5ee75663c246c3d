/** What each dashboard shows, by its name. */
export const dashboards: Readonly<Record<string, object>>
