/** What stays of a recorded outcome (see domain/outcome) when its execution is erased: how it ended and what it cost. */
export function erasedOutcome(outcome: string): string {
  return `CASE (${outcome} ->> 'ok')::boolean
    WHEN true THEN json_build_object('ok', true, 'inputTokens', ${outcome} -> 'inputTokens', 'outputTokens',
      ${outcome} -> 'outputTokens', 'cost', ${outcome} -> 'cost')
    WHEN false THEN json_build_object('ok', false, 'code', ${outcome} -> 'code') END`;
}
