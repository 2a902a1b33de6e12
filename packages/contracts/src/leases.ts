/**
 * The longest lease that a policy grants. The edge renews a hold after a third of its lease, so its
 * deadline for a call to policy must be shorter than that third.
 */
export const LEASE_MAX_MS = 600_000;
