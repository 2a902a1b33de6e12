/** The newest organisations and changes, for the platform's dashboard. */
export const NEWEST = { limit: 8, sort: '-createdAt' } as const;
