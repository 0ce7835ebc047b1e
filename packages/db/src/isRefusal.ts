import pg from 'pg';

/** Whether the database refused what a statement would have written (a rule, or a value), and would do so again. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '');
}
