/** Pages without events from the server are read again this often, while they are visible. */
export const liveMs = 5000;
/** Sums of many rows are read again this often. */
export const liveSumMs = 30_000;
