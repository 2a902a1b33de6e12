// What the dashboard asks for beside the rollups: the page's server and its components must ask for
// the same, or what was read ahead would be read again.

export const BUDGETS_QUERY = { status: 'ACTIVE', limit: 100 } as const;
export const LATEST_QUERY = { limit: 10, sort: '-authorisedAt' } as const;
