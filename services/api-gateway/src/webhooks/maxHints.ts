/** Deliveries hinted at from one request; the sender's sweep finds those beyond. */
export const maxHints = 500;
