/**
 * Every statement of a service finds its rows by an index, whatever the planner believes of a table that was empty when
 * it planned; it is planned once per connection, not anew for each batch; and none runs long enough for compiling it to
 * pay.
 */
const planning = { enable_seqscan: 'off', plan_cache_mode: 'force_generic_plan', jit: 'off' };

/** The server ends a statement after so long by itself. */
export const statementTimeoutMs = 30_000;
/** A process that hangs in a transaction must not keep its locks: a balance's row stops every create. */
export const idleInTransactionTimeoutMs = 30_000;

/** For a connection's start. */
export const planningOptions = Object.entries(planning)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** All that a session of a service needs, as SQL: for a pooler that opens the sessions. */
export const sessionSettings = Object.entries({
  ...planning,
  statement_timeout: String(statementTimeoutMs),
  idle_in_transaction_session_timeout: String(idleInTransactionTimeoutMs),
})
  .map(([name, value]) => `SET ${name} = ${value}`)
  .join('; ');
