/**
 * Idle connections are closed before common servers close theirs (2 s and up), so that a request is
 * seldom lost to a connection which is being closed at the other end.
 */
export const idleTimeoutMs = 1500;

/** Of a connection. Then its name is looked up and its addresses are checked anew, however busy it is. */
export const maxAgeMs = 60_000;
