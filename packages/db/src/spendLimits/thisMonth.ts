/** The first day of this month (UTC) at the start of the statement, not of a transaction that waited for a lock. */
export const thisMonth = `date_trunc('month', statement_timestamp() AT TIME ZONE 'UTC')::date`;
