/** Reads an outcome that is not null: without `ok` it is a success whose output is in `attempts.output` (see `recordOutcomes`). */
export const isOkSql = (outcome: string) => `coalesce((${outcome} ->> 'ok')::boolean, true)`;

/** What a settled attempt with a large output, and one of an erased execution, keep: how it ended and what it cost. */
export function withoutOutputSql(outcome: string): string {
  return `CASE WHEN ${outcome} IS NULL THEN NULL
    WHEN ${isOkSql(outcome)} THEN json_strip_nulls(json_build_object('ok', true, 'inputTokens', ${outcome} -> 'inputTokens',
      'outputTokens', ${outcome} -> 'outputTokens', 'billed', ${outcome} -> 'billed', 'cost', ${outcome} -> 'cost'))
    ELSE json_build_object('ok', false, 'code', ${outcome} -> 'code') END`;
}
