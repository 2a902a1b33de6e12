/**
 * The longest lease that a policy may grant. The edge renews a hold after a third of its lease, so its
 * deadline for a call to policy must be shorter than a third of the lease.
 */
export const LEASE_MAX_MS = 600_000;
