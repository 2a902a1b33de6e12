// The guide's queries. The server's prefetch and the components must use the same input.

export const PROVIDERS = { sort: 'createdAt', limit: 100 } as const;
export const MODELS = { status: 'ACTIVE', sort: 'createdAt', limit: 200 } as const;
export const KEYS = { status: 'ACTIVE', limit: 50 } as const;
export const COMPLETED = { outcome: 'COMPLETED', limit: 1, sort: '-authorisedAt' } as const;
export const REFUSALS = { sort: '-lastAt', limit: 3 } as const;
export const KEYLESS = { keyless: 'true', sort: '-lastAt', limit: 1 } as const;
