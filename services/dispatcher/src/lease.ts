/** A run in hand is vouched for this long; after that any dispatcher takes it over. */
export const leaseS = 20;
/** How often leases in hand are extended. */
export const heartbeatMs = 5000;
