export const NEWEST = { limit: 8, sort: '-createdAt' } as const;
